import type { Clock } from '../base/clock.ts';
import type { Log } from '../engine/ports.ts';
import type { Store } from '../store/types.ts';
import { type SteppingWorker, steppingWorker } from './stepping.ts';

/** How often it looks for deletions, including those of other processes and of an earlier start. */
const EVERY_MS = 1_000;
/** How often it logs its progress with one organization. */
const SAY_EVERY_MS = 10_000;

type Parts = { store: Store; clock: Clock; elapsed: Clock; log: Log };

/**
 * Removes the rows that large organizations leave when they are deleted. Each step is a transaction, after which the worker rests
 * for as long as the step took. Several processes may sweep together.
 */
export function deletionWorker({ store, clock, elapsed, log }: Parts): SteppingWorker {
  /** The organization that it removes. `said`: when its progress was logged. */
  let current: { organizationId: string; since: number; said: number; steps: number } | undefined;

  async function next(): Promise<typeof current> {
    const organizationId = await store.read.deletedOrganizations.next();
    const since = elapsed.now();
    return organizationId === undefined ? undefined : { organizationId, since, said: since, steps: 0 };
  }

  async function step(): Promise<boolean> {
    current ??= await next();
    if (current === undefined) return false;
    const { organizationId, since, said } = current;
    const steps = ++current.steps;
    const isDone = await store.transaction((tx) => tx.deletedOrganizations.sweep(organizationId, clock.now()));
    const now = elapsed.now();
    if (isDone) {
      current = undefined;
      log.info({ organizationId }, 'all rows of a deleted organization except its record are removed');
    } else if (now - said >= SAY_EVERY_MS) {
      current.said = now;
      log.info({ organizationId, steps, ms: now - since }, 'a deleted organization has many rows; their removal continues');
    }
    return true;
  }

  const failed = 'rows of deleted organizations could not be removed; it is retried';
  return steppingWorker({ elapsed, log, everyMs: EVERY_MS, rests: 1, step, leave: async () => {}, failed });
}
