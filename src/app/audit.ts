import type { Clock } from '../base/clock.ts';
import { recentAnswer } from '../chain-io/nodes/recent-answer.ts';
import type { AuditFamilies } from '../http/metrics/audit.ts';
import type { Store } from '../store/types.ts';

/** The least time between two looks, however often the page is requested. */
const EVERY_MS = 5_000;

/** Looks up how far the facts for auditors, and the shipped record, are behind. */
export function auditGauge({
  store,
  clock,
  elapsed,
  ships,
  families: { behind, notShipped },
}: {
  store: Store;
  clock: Clock;
  elapsed: Clock;
  ships: boolean;
  families: AuditFamilies;
}) {
  return recentAnswer(elapsed, EVERY_MS, async () => {
    try {
      const age = (since: number | undefined) => (since === undefined ? 0 : Math.max(clock.now() - since, 0) / 1000);
      behind.set(age(await store.read.auditing.notAuditedSince()));
      if (ships) notShipped.set(age(await store.read.shipping.notShippedSince()));
    } catch {
      // Old values would hide that the database does not answer.
      behind.set(Number.NaN);
      if (ships) notShipped.set(Number.NaN);
    }
  });
}
