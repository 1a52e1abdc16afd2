import { int } from '../columns.ts';
import { table } from '../table.ts';

/** One row: the time that the service has reached. */
export const clock = table('clock', {
  /** Always 1. */
  id: int(),
  /** How often the time was taken back. */
  resets: int(),
  /** Milliseconds. No process uses a time beyond it by more than LEASE_MS (`src/app/service-time.ts`) in what it writes. */
  reached: int(),
  /** PostgreSQL: the database's clock when `reached` was written. Otherwise 0. */
  stamped: int(),
});
