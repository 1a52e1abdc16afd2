import { readDatabaseUrl } from '../../base/database-url.ts';
import { explained, isElsewhere, readOnly } from './postgres-conditions.ts';
import { Connection } from './postgres-connection.ts';

/**
 * Every statement finds its rows by an index. For new tables without statistics, the planner prefers full scans. It keeps such a plan
 * for minutes while the tables grow.
 */
export const BY_INDEX = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off';

/** In milliseconds: how long to wait for a single server, or for each of several before trying the next. */
const CONNECT_MS = { only: 10_000, each: 2_000 };
/** This side closes an idle session after ten seconds. A session that is idle for a minute has lost its client. */
const IDLE_SESSION_MS = 60_000;
/** How much longer than the server's own time-out this side waits. Also the maximum time that a transaction may be idle. */
const LATE_MS = 60_000;

/** In milliseconds. A process that hangs inside a transaction, or that a network partition cut off, must not block the others. */
export type Patience = { statement: number; lock: number; idleInTransaction: number; answer: number };

export function patienceOf(statement: number): Patience {
  const answer = statement + Math.min(statement / 4, LATE_MS);
  return { statement, lock: (statement * 5) / 8, idleInTransaction: Math.min(answer, LATE_MS), answer };
}

/** For work of any length: it has no separate time limit for locks. */
export const longPatience = (statement: number): Patience => ({ ...patienceOf(statement), lock: 0 });

export const settingsOf = ({ statement, lock, idleInTransaction }: Patience): string =>
  `SET statement_timeout = ${Math.ceil(statement)}; SET lock_timeout = ${Math.ceil(lock)}; SET idle_in_transaction_session_timeout = ${Math.ceil(idleInTransaction)}`;

/** Connects to the server of the last connection. If that fails, connects to the next server that answers and accepts writes. */
export function connector(url: string, patience: Patience, anyServer: boolean): (signal: AbortSignal) => Promise<Connection> {
  const { urls, mustWrite } = readDatabaseUrl(url)!;
  const isToWrite = mustWrite && !anyServer;
  // The role may hide warnings. One says that no standby has a commit.
  const first = `${BY_INDEX}; ${settingsOf(patience)}; SET client_min_messages = warning; SET idle_session_timeout = ${IDLE_SESSION_MS}; SHOW transaction_read_only`;
  const eachMs = urls.length > 1 ? CONNECT_MS.each : Math.min(CONNECT_MS.only, patience.answer);
  let last = 0;

  async function connect(at: string, signal: AbortSignal): Promise<Connection> {
    const connection = new Connection(at, patience.answer);
    const end = () => connection.destroy(signal.reason);
    signal.addEventListener('abort', end);
    try {
      const results = (await connection.open(first, eachMs)) as unknown as { rows: { transaction_read_only?: string }[] }[];
      if (isToWrite && results.at(-1)!.rows[0]!.transaction_read_only === 'on') throw readOnly();
      signal.throwIfAborted();
      return connection;
    } catch (error) {
      connection.destroy(error as Error);
      throw explained(error);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  return async (signal) => {
    let refused: unknown;
    for (let tried = 1, at = last; ; tried++, at = (at + 1) % urls.length) {
      try {
        signal.throwIfAborted();
        const connection = await connect(urls[at]!, signal);
        last = at;
        return connection;
      } catch (error) {
        // A server that answers says more than one that is down.
        if (isElsewhere((error as Error).cause)) refused = error;
        if (signal.aborted) throw error;
        if (tried === urls.length) throw refused ?? error;
      }
    }
  };
}
