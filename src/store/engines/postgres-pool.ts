import { Busy } from '../../base/errors.ts';
import { isElsewhere } from './postgres-conditions.ts';
import { type Connection, Silent } from './postgres-connection.ts';

/** In milliseconds. A connection without a statement for this long is closed. */
const IDLE_MS = 10_000;

export type Pool = {
  /** Lends a connection, and takes it back. Throws what `work` throws. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Connections that are lent or being opened, and calls that wait for one. */
  load(): { used: number; waiting: number };
  /** All calls in progress, and all waiting calls, fail immediately. */
  interrupt(): void;
  /** Lends no more connections. Resolves when all were given back. */
  close(): Promise<void>;
};

type Idle = { connection: Connection; timer: NodeJS.Timeout };
type Waiting = { resolve(connection: Connection): void; reject(error: unknown): void; timer: NodeJS.Timeout };

/**
 * At most `most` connections, each made by `open`. If one stops answering, or its server is read-only, the pool gives up all older
 * ones. An idle connection cannot show that it still works.
 */
export function postgresPool(open: (signal: AbortSignal) => Promise<Connection>, most: number, waitMs: number): Pool {
  let idle: Idle[] = [];
  const lent = new Set<Connection>();
  const stale = new WeakSet<Connection>();
  const waiting: Waiting[] = [];
  const stopping = new AbortController();
  let opening = 0;
  let closed: Error | undefined;
  let settled: () => void = () => {};

  const isSettled = () => lent.size + opening === 0;

  function next(): void {
    if (closed !== undefined && isSettled()) settled();
    const first = waiting.shift();
    if (first === undefined) return;
    clearTimeout(first.timer);
    make().then(first.resolve, first.reject);
  }

  async function make(): Promise<Connection> {
    opening++;
    try {
      const connection = await open(stopping.signal);
      lent.add(connection);
      return connection;
    } finally {
      opening--;
      if (lent.size + opening < most) next();
    }
  }

  function lend(): Promise<Connection> {
    if (closed !== undefined) return Promise.reject(closed);
    const found = idle.pop();
    if (found !== undefined) {
      clearTimeout(found.timer);
      lent.add(found.connection);
      return Promise.resolve(found.connection);
    }
    if (lent.size + opening < most) return make();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(place), 1);
        reject(new Busy('all connections to the database are in use'));
      }, waitMs);
      const place = { resolve, reject, timer };
      waiting.push(place);
    });
  }

  function rest(connection: Connection): void {
    const leave = () => {
      clearTimeout(timer);
      idle = idle.filter((one) => one.connection !== connection);
      connection.end();
    };
    const timer = setTimeout(leave, IDLE_MS);
    connection.onBroken = leave;
    idle.push({ connection, timer });
  }

  function giveBack(connection: Connection): void {
    lent.delete(connection);
    if (connection.broken || stale.has(connection) || closed !== undefined) {
      connection.end();
      next();
      return;
    }
    const first = waiting.shift();
    if (first === undefined) {
      rest(connection);
      return;
    }
    clearTimeout(first.timer);
    lent.add(connection);
    first.resolve(connection);
  }

  function giveUp(): void {
    for (const { connection, timer } of idle) {
      clearTimeout(timer);
      connection.end();
    }
    idle = [];
    for (const connection of lent) stale.add(connection);
  }

  function refuse(why: string): Error {
    closed ??= new Busy(why);
    for (const { reject, timer } of waiting.splice(0)) {
      clearTimeout(timer);
      reject(closed);
    }
    return closed;
  }

  return {
    async use(work) {
      const connection = await lend();
      connection.onBroken = () => {};
      try {
        return await work(connection);
      } catch (error) {
        const isUseless = connection.broken instanceof Silent || isElsewhere(error) || isElsewhere((error as Error).cause);
        if (isUseless && !stale.has(connection)) giveUp();
        throw error;
      } finally {
        giveBack(connection);
      }
    },
    load: () => ({ used: lent.size + opening, waiting: waiting.length }),
    interrupt() {
      const reason = refuse('the service stops');
      stopping.abort(reason);
      for (const connection of lent) connection.destroy(reason);
    },
    async close() {
      refuse('the database is closed');
      giveUp();
      if (isSettled()) return;
      await new Promise<void>((resolve) => {
        settled = resolve;
      });
    },
  };
}
