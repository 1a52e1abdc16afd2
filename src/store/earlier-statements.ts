import { setTimeout as pause } from 'node:timers/promises';
import type { Conn } from './statement.ts';

const EVERY_MS = 20;

/** A counted record may take several statements, and its session is idle between them. A transaction that only reads has no xid. */
const NOW = 'SELECT clock_timestamp()::text AS now';
const EARLIER = `SELECT clock_timestamp() < $1::timestamptz + interval '5 seconds' AND EXISTS (
  SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
    AND (
      (state IN ('active', 'disabled') AND (query_start < $1::timestamptz) IS NOT FALSE)
      OR (state LIKE 'idle in transaction%' AND backend_xid IS NOT NULL AND (xact_start < $1::timestamptz) IS NOT FALSE)
    )
) AS earlier`;

/**
 * Resolves when each statement of now has ended, in all processes of the database, or after five seconds. A transaction that has written
 * counts as one statement. SQLite runs one at a time.
 */
export async function earlierEnded(conn: Conn): Promise<void> {
  if (conn.engine === 'sqlite') return;
  const [{ now }] = (await conn.all(NOW, [])) as [{ now: string }];
  for (;;) {
    const [{ earlier }] = (await conn.all(EARLIER, [now])) as [{ earlier: boolean }];
    if (!earlier) return;
    await pause(EVERY_MS);
  }
}
