import type { Server } from 'node:http';
import { BOUNDS, type Connections, connections } from '../../http/connections.ts';
import { type Address, bound, type Handler, service } from '../../http/service.ts';
import type { Ground } from '../ground.ts';
import { openMetrics } from '../metrics-server.ts';
import type { Front } from '../stop.ts';

/** A server that answers before the service has opened. `opened`: the same server, which `handle` answers once it is to listen. */
export type SealedFront = { clients: Connections; opened(handle: Handler): Front };

export type SealedFronts = {
  main: SealedFront;
  /** On ports of their own. */
  authProxy: SealedFront | undefined;
  frames: SealedFront | undefined;
  console: SealedFront | undefined;
  /** Listens already. */
  metrics: Server | undefined;
  close(): Promise<void>;
};

/** Listens on the ports of the service, which stay open when it opens. `main`: answers on PORT, and `sealed` on the others. */
export async function openSealedFronts(
  { config, counts }: Pick<Ground, 'config' | 'counts'>,
  { main, sealed }: { main: Handler; sealed: Handler },
): Promise<SealedFronts> {
  const {
    host,
    port,
    authProxy,
    frames,
    console: { at: ownConsole },
    maxConnections,
  } = config;
  const listening: Front[] = [];

  const metrics = openMetrics({ config, counts });

  async function open(at: Address, before: Handler): Promise<SealedFront> {
    let handle = before;
    const clients = connections({ ...BOUNDS, connections: maxConnections }, (reason) => counts.closed.inc({ reason }));
    const http = service(clients, (...request) => handle(...request));
    const address = await http.listen(at);
    listening.push({ http, clients });
    const opened = (opensWith: Handler): Front => {
      const listen = async () => {
        handle = opensWith;
        return address;
      };
      return { http: { ...http, listen }, clients };
    };
    return { clients, opened };
  }

  async function close(): Promise<void> {
    metrics?.close();
    metrics?.closeAllConnections();
    for (const { http } of listening) {
      const ended = http.close();
      http.closeAllConnections();
      await ended;
    }
  }

  try {
    if (metrics) await bound(metrics, config.metrics!);
    return {
      main: await open({ host, port }, main),
      authProxy: authProxy && (await open(authProxy, sealed)),
      frames: frames.at && frames.pages.length > 0 ? await open(frames.at, sealed) : undefined,
      console: ownConsole && (await open(ownConsole, sealed)),
      metrics,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
