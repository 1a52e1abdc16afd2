import { setTimeout as sleep } from 'node:timers/promises';
import { SEEN_AFTER_MS } from '../../app/custody/follow.ts';
import type { CustodyDone, CustodyJob } from '../../app/custody/jobs.ts';
import { runCustodyJob } from '../../app/custody/jobs.ts';
import { type CustodyStatus, custodyStatus } from '../../app/custody/status.ts';
import { rootKeyOf } from '../../app/root-key.ts';
import { systemRandom } from '../../base/random.ts';
import type { Config } from '../../config.ts';
import { keyRing } from '../../custody/key-ring.ts';
import { SEALED_PLACES, type SealedPlace } from '../../store/sealed/places.ts';
import type { SealedRows } from '../../store/sealed/rows.ts';
import { withReading, withStore } from '../offline-store.ts';
import { askService } from './ask-service.ts';
import { type NextShare, unlocked } from './shares/unlock.ts';

/** Read-only: also beside a service. */
export const showCustody = (config: Config, now: number): Promise<CustodyStatus> =>
  withReading(config, 'the custody was not read', (store) => custodyStatus(store, now));

/** What a rotation of the master key would do. Read-only: also beside a service. */
export const planMaster = async (given: Config, nextShare: NextShare): Promise<{ version: number; secrets: number }> => {
  const config = await unlocked(given, nextShare);
  return withReading(config, 'the custody was not read', async ({ read, sealed }) => {
    const rows = await read.instance.masterKeys();
    const root = await rootKeyOf(config.rootKey, { random: systemRandom });
    await keyRing(() => root).take(rows);
    let secrets = 0;
    for (const { version } of rows.filter(({ wrapped }) => wrapped.length > 0))
      for (const place of SEALED_PLACES) secrets += await countSealed(sealed, place, version);
    return { version: Math.max(...rows.map(({ version }) => version)) + 1, secrets };
  });
};

async function countSealed(sealed: Pick<SealedRows, 'page'>, place: SealedPlace, version: number): Promise<number> {
  let count = 0;
  let after: readonly unknown[] | undefined;
  do {
    const page = await sealed.page(place, version, after);
    count += page?.rows.length ?? 0;
    after = page?.after;
  } while (after !== undefined);
  return count;
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
