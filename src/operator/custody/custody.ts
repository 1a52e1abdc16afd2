import { setTimeout as sleep } from 'node:timers/promises';
import { SEEN_AFTER_MS } from '../../app/custody/follow.ts';
import type { CustodyDone, CustodyJob } from '../../app/custody/jobs.ts';
import { runCustodyJob } from '../../app/custody/jobs.ts';
import { type LeftOpen, survey } from '../../app/custody/left-open.ts';
import { versionToSeal } from '../../app/custody/rotate-master.ts';
import { type CustodyStatus, custodyStatus } from '../../app/custody/status.ts';
import { rootKeyOf } from '../../app/root-key.ts';
import { systemRandom } from '../../base/random.ts';
import type { Config } from '../../config.ts';
import { envelope } from '../../custody/envelope.ts';
import { keyRing } from '../../custody/key-ring.ts';
import { opens } from '../../custody/reseal.ts';
import type { EngineName } from '../../store/columns.ts';
import { withReadOnly, withStore } from '../offline-store.ts';
import { askService } from './ask-service.ts';
import { type NextShare, unlocked } from './shares/unlock.ts';

const engineOf = ({ databaseUrl }: Config): EngineName => (databaseUrl === undefined ? 'sqlite' : 'postgres');

/** Read-only: also beside a service. */
export const showCustody = (config: Config, now: number): Promise<CustodyStatus> =>
  withReadOnly(config, 'the custody was not read', (store) => custodyStatus({ ...store, engine: engineOf(config) }, now));

/** `version`: the one that would seal. `isNew`: false if an earlier rotation would go on. `secrets`: how many would be sealed anew. */
export type MasterPlan = { version: number; isNew: boolean; secrets: number; leftOpen: LeftOpen[] };

/** What a rotation of the master key would do. Read-only: also beside a service. */
export async function planMaster(given: Config, force: boolean, nextShare: NextShare): Promise<MasterPlan> {
  const config = await unlocked(given, nextShare);
  return withReadOnly(config, 'the custody was not read', async ({ read, sealed }) => {
    const rows = await read.instance.masterKeys();
    const root = await rootKeyOf(config.rootKey, { random: systemRandom });
    const ring = keyRing(() => root);
    await ring.take(rows);
    const sealing = envelope(ring.keys, systemRandom, ring.states);
    const plan: MasterPlan = { ...versionToSeal(rows, force), secrets: 0, leftOpen: [] };
    for (const { version, wrapped } of rows) {
      if (wrapped.length === 0 || version === plan.version) continue;
      const found = await survey({ sealed, engine: engineOf(config) }, version, (row) => opens(sealing, row.name, row.sealed));
      plan.secrets += found.secrets;
      plan.leftOpen.push(...found.leftOpen);
    }
    return plan;
  });
}

type Means = {
  say(text: string): void;
  /** Asks for the shares of the root key of now. */
  nextShare: NextShare;
};

/** Runs in the service that has the SQLite database, if one runs. Otherwise in this process. */
export async function changeCustody(
  config: Config,
  now: number,
  job: CustodyJob,
  { say, nextShare }: Means,
): Promise<CustodyDone> {
  const { dataDir, databaseUrl } = config;
  const done = databaseUrl === undefined ? await askService(dataDir, job, say) : undefined;
  if (done !== undefined) return done;
  const { rootKey } = await unlocked(config, nextShare);
  return withStore(config, 'the keys were not changed', async (store) => {
    const held = { root: await rootKeyOf(rootKey, { random: systemRandom }) };
    // On SQLite no service runs now.
    const settle = () => (store.engine === 'sqlite' ? Promise.resolve() : sleep(SEEN_AFTER_MS));
    const { reached } = await store.read.clock.get();
    return runCustodyJob(job, {
      store,
      held,
      random: systemRandom,
      now: () => Math.max(now, reached),
      settle,
      say,
      isStopping: () => false,
    });
  });
}
