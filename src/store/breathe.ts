import { setImmediate } from 'node:timers/promises';
import type { Conn } from './statement.ts';

/**
 * Yields the thread during a long transaction. SQLite statements block it, PostgreSQL statements do not. Other requests
 * can then read durable rows; writers wait for the end of the transaction.
 */
export async function breathe(conn: Conn): Promise<void> {
  if (conn.engine === 'sqlite') await setImmediate();
}
