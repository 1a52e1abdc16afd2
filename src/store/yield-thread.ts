import { setImmediate } from 'node:timers/promises';
import type { Conn } from './statement.ts';

/**
 * Yields the thread during a long transaction. SQLite statements block the thread; PostgreSQL statements do not. Meanwhile other
 * requests can read durable rows, and writers wait for the end of the transaction.
 */
export async function yieldThread(conn: Conn): Promise<void> {
  if (conn.engine === 'sqlite') await setImmediate();
}
