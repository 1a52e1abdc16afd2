import { int } from '../columns.ts';
import { table } from '../table.ts';

/** One row: the time that the service has reached. */
export const clock = table('clock', {
  /** Always 1. */
  id: int(),
  /** How often the time was set back. */
  resets: int(),
  /** Milliseconds. A process writes no time that is later than this by more than LEASE_MS (`src/app/service-time.ts`). */
  reached: int(),
  /** PostgreSQL: the database's clock when `reached` was written. Otherwise 0. */
  stamped: int(),
});
