import { setTimeout as pause } from 'node:timers/promises';
import type { Conn } from './statement.ts';

const AT_MOST_MS = 5_000;
const EVERY_MS = 20;

const NOW = 'SELECT clock_timestamp()::text AS now';
const EARLIER = `SELECT EXISTS (
  SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
    AND state = 'active' AND query_start < $1::timestamptz
) AS earlier`;

/** Resolves when each statement of now has ended, in all processes of the database, or after five seconds. SQLite runs one at a time. */
export async function earlierEnded(conn: Conn): Promise<void> {
  if (conn.engine === 'sqlite') return;
  const [{ now }] = (await conn.all(NOW, [])) as [{ now: string }];
  const since = performance.now();
  while (performance.now() - since < AT_MOST_MS) {
    const [{ earlier }] = (await conn.all(EARLIER, [now])) as [{ earlier: boolean }];
    if (!earlier) return;
    await pause(EVERY_MS);
  }
}
