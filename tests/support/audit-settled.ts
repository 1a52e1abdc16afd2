import { auditWorker } from '../../src/workers/audit/audit-worker.ts';
import type { Instance } from './instance.ts';
import { passed } from './usage-summed.ts';

/** Waits until the facts of all activities so far are written, by the instance or by a worker beside it. */
export async function auditSettled({ engine: { store, clock, log, ids, decisions }, raw }: Pick<Instance, 'engine' | 'raw'>) {
  const worker = auditWorker({
    ...{ store, clock, log, owner: ids.next(), decode: decisions.decode },
    elapsed: { now: () => 0 },
  });
  await passed(raw, 'audit_place', worker.run);
  await worker.close();
}
