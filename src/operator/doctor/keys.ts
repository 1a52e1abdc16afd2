import { openEnvelope, rootKeyWarning } from '../../app/root-key.ts';
import { systemRandom } from '../../base/random.ts';
import type { Config } from '../../config.ts';
import { checkProvider } from '../../custody/masters.ts';
import type { Reader, WrappedMasterKey } from '../../store/types.ts';
import { sealedState } from '../custody/shares/unseal.ts';
import { type Found, ok, problem } from './finding.ts';

/** The doctor asks for no shares: it runs often, and without people. */
async function checkShares({ dataDir }: Config, rows: readonly WrappedMasterKey[]): Promise<Found[]> {
  checkProvider('shares', rows);
  const state = await sealedState(dataDir);
  if (state !== undefined)
    return [problem(`the service waits for its root key: ${state}`, 'give it shares with countersign custody unseal')];
  const rootId = rows.find(({ wrapped }) => wrapped.length > 0)?.rootId;
  return [ok(`the root key ${rootId} is in shares, which are not asked for here`)];
}

/** Whether the root key opens the database. It makes no key. */
export async function checkRootKey(config: Config, read: Reader): Promise<Found[]> {
  const { provider } = config.rootKey;
  const rows = await read.instance.masterKeys();
  if (rows.length === 0)
    return [problem('the database has no master key: its first start did not end', 'start the service again')];
  try {
    if (provider === 'shares') return await checkShares(config, rows);
    await openEnvelope(config, read, systemRandom);
  } catch (error) {
    return [problem((error as Error).message, 'see docs/operating/keys.md')];
  }
  const exposed = rootKeyWarning(config.rootKey);
  if (exposed !== undefined) return [problem(exposed, 'allow it to its owner only')];
  return [ok(`the root key (${provider}) opens the database`)];
}
