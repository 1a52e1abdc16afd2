import { openEnvelope, rootKeyWarning } from '../../app/root-key.ts';
import { systemRandom } from '../../base/random.ts';
import type { Config } from '../../config.ts';
import type { Reader } from '../../store/types.ts';
import { type Found, ok, problem } from './finding.ts';

/** Whether the root key opens the database. It makes no key. */
export async function checkRootKey(config: Config, read: Reader): Promise<Found[]> {
  const { provider } = config.rootKey;
  if ((await read.instance.masterKeys()).length === 0)
    return [problem('the database has no master key: its first start did not end', 'start the service again')];
  try {
    await openEnvelope(config, read, systemRandom);
  } catch (error) {
    return [problem((error as Error).message, 'see docs/operating/backup.md')];
  }
  const exposed = rootKeyWarning(config.rootKey);
  if (exposed !== undefined) return [problem(exposed, 'allow it to its owner only')];
  return [ok(`the root key (${provider}) opens the database`)];
}
