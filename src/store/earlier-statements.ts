import { Sleep } from '../base/sleep.ts';
import type { Conn } from './statement.ts';

const FIRST_MS = 5;
const LONGEST_MS = 500;
/** How long a fence waits, in microseconds. */
const PATIENCE = 5_000_000;

/**
 * When the earliest statement or transaction that may write began. A transaction of several statements may be idle, or at a later one. One
 * that only reads has no xid. A dump takes long, and writes nothing.
 */
const LOOK = `SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::float8 AS now, (
  SELECT (extract(epoch FROM min(least(
    CASE WHEN state IN ('active', 'disabled') THEN coalesce(query_start, 'epoch') END,
    CASE WHEN backend_xid IS NOT NULL THEN coalesce(xact_start, 'epoch') END
  ))) * 1000000)::float8
  FROM pg_stat_activity
  WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
    AND backend_type = 'client backend' AND application_name IS DISTINCT FROM 'pg_dump'
) AS earliest`;
type Look = { now: number; earliest: number | null };

/** `at`: the database's time of the first look that began after it. */
type Fence = { at?: number; resolve(hasEnded: boolean): void; reject(error: unknown): void };

/**
 * Waits until each statement of now has ended, in all processes of the database. False: five seconds were too short. A transaction
 * that has written counts as one statement. All that wait in a process share the looks at the sessions. SQLite runs one statement at a time.
 */
export function earlierStatements(conn: Conn): () => Promise<boolean> {
  if (conn.engine === 'sqlite') return async () => true;
  const fences = new Set<Fence>();
  const sleep = new Sleep();
  let isLooking = false;

  async function look(): Promise<void> {
    const asked = [...fences];
    try {
      const [{ now, earliest }] = (await conn.all(LOOK, [])) as [Look];
      for (const fence of asked) {
        fence.at ??= now;
        const isEarlier = earliest !== null && earliest < fence.at;
        if (isEarlier && now - fence.at < PATIENCE) continue;
        fences.delete(fence);
        fence.resolve(!isEarlier);
      }
    } catch (error) {
      for (const fence of asked) {
        fences.delete(fence);
        fence.reject(error);
      }
    }
  }

  async function run(): Promise<void> {
    isLooking = true;
    for (let ms = FIRST_MS; fences.size > 0; ) {
      sleep.look();
      await look();
      if (fences.size === 0) break;
      await sleep.rest(ms);
      ms = sleep.isWoken ? FIRST_MS : Math.min(2 * ms, LONGEST_MS);
    }
    isLooking = false;
  }

  return () =>
    new Promise((resolve, reject) => {
      fences.add({ resolve, reject });
      if (isLooking) sleep.wake();
      else void run();
    });
}
