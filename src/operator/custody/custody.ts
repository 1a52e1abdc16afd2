import type { CustodyDone, CustodyJob } from '../../app/custody/jobs.ts';
import { runCustodyJob } from '../../app/custody/jobs.ts';
import { type CustodyStatus, custodyStatus } from '../../app/custody/status.ts';
import { rootKeyOf } from '../../app/root-key.ts';
import { systemRandom } from '../../base/random.ts';
import type { Config } from '../../config.ts';
import { withReader, withStore } from '../offline-store.ts';
import { askService } from './ask-service.ts';

/** Read-only: also beside a service. */
export const showCustody = (config: Config): Promise<CustodyStatus> =>
  withReader(config, 'the custody was not read', (read) => custodyStatus(read));

/** Runs in the service that has the SQLite database, if one runs. Otherwise in this process. */
export async function changeCustody(config: Config, job: CustodyJob, say: (text: string) => void): Promise<CustodyDone> {
  const { dataDir, databaseUrl, rootKey } = config;
  const done = databaseUrl === undefined ? await askService(dataDir, job, say) : undefined;
  if (done !== undefined) return done;
  return withStore(config, 'the keys were not changed', async (store) => {
    const held = { root: await rootKeyOf(rootKey, { random: systemRandom }) };
    return runCustodyJob(job, { store, held, random: systemRandom, say });
  });
}
