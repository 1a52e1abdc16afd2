import { activities, operatorActivities } from '../activities/index.ts';
import type { Clock } from '../base/clock.ts';
import { recentAnswer } from '../chain-io/nodes/recent-answer.ts';
import type { Config } from '../config.ts';
import type { Decoder } from '../engine/activity/decode.ts';
import type { UsageFamilies } from '../http/metrics/usage.ts';
import type { Store } from '../store/types.ts';
import type { SteppingWorker } from '../workers/stepping.ts';
import { usageWorker } from '../workers/usage.ts';
import type { Logger } from './log/logger.ts';

/** The least time between two looks, however often the page is requested. */
const EVERY_MS = 5_000;

type Parts = { config: Config; store: Store; clock: Clock; elapsed: Clock; log: Logger; owner: string; decode: Decoder };

/** The worker that sums what organizations used. */
export const openUsage = ({ config, ...parts }: Parts): SteppingWorker =>
  usageWorker({ ...parts, everyMs: config.usageIntervalMs, kinds: [...activities, ...operatorActivities] });

/** Looks up the gauges of usage and quotas. */
export function usageGauges({
  store,
  clock,
  elapsed,
  families: { behind, quotas },
}: Pick<Parts, 'store' | 'clock' | 'elapsed'> & { families: UsageFamilies }) {
  return recentAnswer(elapsed, EVERY_MS, async () => {
    try {
      const since = await store.read.summing.notSummedSince();
      behind.set(since === undefined ? 0 : Math.max(clock.now() - since, 0) / 1000);
      for (const level of ['near', 'over'] as const) quotas.set({ level }, await store.read.allQuotas.count(level, clock.now()));
    } catch {
      // Old values would hide that the database does not answer.
      behind.set(Number.NaN);
      quotas.reset();
    }
  });
}
