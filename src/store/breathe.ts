import { setImmediate } from 'node:timers/promises';
import type { Conn } from './statement.ts';

/**
 * In the middle of a long transaction: lets whatever waits for this thread run. Statements of SQLite hold it, those of
 * PostgreSQL do not. Meanwhile others read what is durable, and whoever writes waits for the end of the transaction.
 */
export async function breathe(conn: Conn): Promise<void> {
  if (conn.engine === 'sqlite') await setImmediate();
}
