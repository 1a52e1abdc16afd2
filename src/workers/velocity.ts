import type { Clock } from '../base/clock.ts';
import { failPointsAround } from '../base/fail-point.ts';
import { type Place, prune } from '../domain/velocity/prune.ts';
import type { Log } from '../engine/ports.ts';
import type { Store } from '../store/types.ts';
import { byLoad, type SteppingWorker, steppingWorker } from './stepping.ts';

const EVERY_MS = 3_600_000;

type Parts = { store: Store; clock: Clock; elapsed: Clock; log: Log };

/** Removes what limits over time have counted, and count no more. Several processes may do so together. */
export function velocityWorker({ store, clock, elapsed, log }: Parts): SteppingWorker {
  let at: Place = {};

  async function step(): Promise<boolean> {
    const next = await failPointsAround('prune', () => store.transaction((tx) => prune(tx, at, clock.now())));
    at = next ?? {};
    return next !== undefined;
  }

  const failed = 'old entries of limits over time could not be removed; it is retried';
  return steppingWorker({ elapsed, log, everyMs: EVERY_MS, rests: byLoad(), step, leave: async () => {}, failed });
}
