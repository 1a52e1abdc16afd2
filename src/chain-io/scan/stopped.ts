import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../engine/ports.ts';
import type { ScanPlace } from '../../model/scan.ts';
import type { ScanCounts } from './types.ts';

/** How often the log tells that a scan is stopped. */
const TELLS_MS = 60_000;
const LOOK_MS = 5_000;

/** To go on would skip something, or contradict events: the operator decides. */
export class ScanStopped extends Error {
  override readonly name = 'ScanStopped';
}

/** Runs the steps of a scan. One that throws ScanStopped moved nothing, and is tried again. */
export function stoppable({ elapsed, log, counts }: { elapsed: Clock; log: Log; counts: ScanCounts }) {
  let toldAt = Number.NEGATIVE_INFINITY;
  return async ({ caip2, number }: ScanPlace, step: () => Promise<number>): Promise<number> => {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof ScanStopped)) throw error;
      counts.stopped(true);
      if (elapsed.now() - toldAt >= TELLS_MS) {
        toldAt = elapsed.now();
        const fields = { network: caip2, number, reason: error.message };
        log.error(fields, 'the scan of a chain is stopped: docs/operating/scanning.md says how to go on');
      }
      return LOOK_MS;
    }
  };
}
