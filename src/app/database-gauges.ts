import type { Clock } from '../base/clock.ts';
import { recentAnswer } from '../chain-io/nodes/recent-answer.ts';
import type { DatabaseFamilies } from '../http/metrics/database.ts';
import type { Store } from '../store/types.ts';

/** The least time between two looks, because each one writes to the database. */
const EVERY_MS = 5_000;

type Parts = {
  store: Pick<Store, 'load'>;
  /** What `/ready` asks. */
  ready(): Promise<unknown>;
  elapsed: Clock;
  families: DatabaseFamilies;
};

/** Sets the gauges of the connections and of `/ready`. */
export function databaseGauges({ store, ready, elapsed, families }: Parts): () => Promise<void> {
  const look = recentAnswer(elapsed, EVERY_MS, () =>
    ready().then(
      () => families.ready.set(1),
      () => families.ready.set(0),
    ),
  );
  return () => {
    const { used, waiting } = store.load();
    families.used.set(used);
    families.waiting.set(waiting);
    return look();
  };
}
