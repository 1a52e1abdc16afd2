import type { Server } from 'node:http';
import type { Connections } from '../http/connections.ts';
import type { Service } from '../http/service.ts';
import type { Store } from '../store/types.ts';

/**
 * How long requests that have begun may take once the service stops. After the first, requests that wait for the database end with
 * an error; after the second, every connection is closed.
 */
const GRACE_MS = { database: 8_000, connections: 10_000 };

/** A server for requests, and its connections. */
export type Front = { http: Service; clients: Connections };

/** A worker that runs beside requests. */
export type Worker = { close(): Promise<void> };

/** It may be closed again: the first call counts. */
export function closedOnce({ close }: Worker): Worker {
  let closing: Promise<void> | undefined;
  return {
    close() {
      closing ??= close();
      return closing;
    },
  };
}

type Parts = {
  fronts: readonly Front[];
  metrics: Server | undefined;
  /** They take no more work, and end while requests do. */
  workers: readonly Worker[];
  /** The parts that requests and workers use. */
  used: readonly Worker[];
  store: Store;
  /** Ends by itself once `late` resolves. */
  closeTraces: ((late: Promise<unknown>) => Promise<void>) | undefined;
  closeLog(): Promise<void>;
};

/** Answers the requests that have begun, then closes the database. */
export async function stop({ fronts, metrics, workers, used, store, closeTraces, closeLog }: Parts): Promise<void> {
  const closed = Promise.all([...fronts.map(({ http }) => http.close()), ...workers.map((worker) => worker.close())]);
  // A connection that was busy when closing began would stay open until its keep-alive ends. One without any request so far would
  // stay open for ever.
  const sweep = setInterval(() => {
    for (const { http, clients } of fronts) {
      http.closeIdleConnections();
      clients.closeSilent();
    }
  }, 20);
  const interrupting = setTimeout(store.interrupt, GRACE_MS.database);
  const late = Promise.withResolvers<void>();
  const closing = setTimeout(() => {
    for (const { http } of fronts) http.closeAllConnections();
    late.resolve();
  }, GRACE_MS.connections);
  await closed;
  clearInterval(sweep);
  clearTimeout(interrupting);
  metrics?.close();
  metrics?.closeAllConnections();
  for (const one of used) await one.close();
  await closeTraces?.(late.promise);
  clearTimeout(closing);
  await store.close();
  await closeLog();
}
