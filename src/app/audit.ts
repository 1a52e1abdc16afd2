import type { Clock } from '../base/clock.ts';
import { recentAnswer } from '../chain-io/nodes/recent-answer.ts';
import type { AuditFamilies } from '../http/metrics/audit.ts';
import type { Store } from '../store/types.ts';

/** The least time between two looks, however often the page is requested. */
const EVERY_MS = 5_000;

/** Looks up how far the facts for auditors are behind. */
export function auditGauge({
  store,
  clock,
  elapsed,
  families: { behind },
}: {
  store: Store;
  clock: Clock;
  elapsed: Clock;
  families: AuditFamilies;
}) {
  return recentAnswer(elapsed, EVERY_MS, async () => {
    try {
      const since = await store.read.auditing.notAuditedSince();
      behind.set(since === undefined ? 0 : Math.max(clock.now() - since, 0) / 1000);
    } catch {
      // An old value would hide that the database does not answer.
      behind.set(Number.NaN);
    }
  });
}
