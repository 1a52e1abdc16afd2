import { auditWorker } from '../../src/workers/audit/audit-worker.ts';
import type { Instance } from './instance.ts';
import { waitFor } from './wait.ts';

/** Waits until the facts of all activities so far are written, by the instance or by a worker beside it. */
export async function auditSettled({ engine: { store, clock, log, ids, decisions }, raw }: Pick<Instance, 'engine' | 'raw'>) {
  const [end] = await raw(
    'SELECT (SELECT max(position) FROM activities) AS activities, coalesce((SELECT max(position) FROM audit), 0) AS audit',
  );
  const worker = auditWorker({
    ...{ store, clock, log, owner: ids.next(), decode: decisions.decode },
    elapsed: { now: () => 0 },
  });
  await waitFor('the facts for auditors', async () => {
    await worker.run();
    const place = await store.read.auditing.place();
    return place.activities >= Number(end!.activities) && place.audit >= Number(end!.audit);
  });
  await worker.close();
}
