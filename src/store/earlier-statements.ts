import { setTimeout as pause } from 'node:timers/promises';
import type { Conn } from './statement.ts';

const FIRST_MS = 20;
/** Many streams may begin beside one long statement, and all of them look at the sessions. */
const LONGEST_MS = 500;

/**
 * A transaction of several statements may be idle, or at a later one. One that only reads has no xid. A dump takes long, and writes
 * nothing.
 */
const NOW = 'SELECT clock_timestamp()::text AS now';
const EARLIER = `SELECT clock_timestamp() > $1::timestamptz + interval '5 seconds' AS late, EXISTS (
  SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
    AND backend_type = 'client backend' AND application_name IS DISTINCT FROM 'pg_dump'
    AND (
      (state IN ('active', 'disabled') AND (query_start < $1::timestamptz) IS NOT FALSE)
      OR (backend_xid IS NOT NULL AND (xact_start < $1::timestamptz) IS NOT FALSE)
    )
) AS earlier`;

/**
 * Waits until each statement of now has ended, in all processes of the database. False: five seconds were too short. A transaction
 * that has written counts as one statement. SQLite runs one at a time.
 */
export async function earlierEnded(conn: Conn): Promise<boolean> {
  if (conn.engine === 'sqlite') return true;
  const [{ now }] = (await conn.all(NOW, [])) as [{ now: string }];
  for (let ms = FIRST_MS; ; ms = Math.min(2 * ms, LONGEST_MS)) {
    const [{ earlier, late }] = (await conn.all(EARLIER, [now])) as [{ earlier: boolean; late: boolean }];
    if (!earlier || late) return !earlier;
    await pause(ms);
  }
}
