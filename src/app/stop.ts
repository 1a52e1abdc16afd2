import type { Server } from 'node:http';
import type { Connections } from '../http/connections.ts';
import type { Service } from '../http/service.ts';
import type { Store } from '../store/types.ts';

/** How long requests that have begun may take once the service stops. */
const GRACE_MS = 10_000;

/** What serves requests, and its connections. */
export type Front = { http: Service; clients: Connections };

/** What runs beside requests. */
type Worker = { close(): Promise<void> };

/** It may be closed again: the first time counts. */
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
  workers: readonly Worker[];
  store: Store;
  closeLog(): Promise<void>;
};

/** Answers the requests that have begun, then closes the database. */
export async function stop({ fronts, metrics, workers, store, closeLog }: Parts): Promise<void> {
  const closed = Promise.all(fronts.map(({ http }) => http.close()));
  // A connection that was busy when closing began would stay open until its keep-alive ends, and one that has not asked for
  // anything yet for ever.
  const sweep = setInterval(() => {
    for (const { http, clients } of fronts) {
      http.closeIdleConnections();
      clients.closeSilent();
    }
  }, 20);
  const grace = setTimeout(() => {
    for (const { http } of fronts) http.closeAllConnections();
  }, GRACE_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(grace);
  metrics?.close();
  metrics?.closeAllConnections();
  for (const worker of workers) await worker.close();
  await store.close();
  await closeLog();
}
