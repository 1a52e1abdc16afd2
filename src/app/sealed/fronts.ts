import type { Config } from '../../config.ts';
import { BOUNDS, type CloseReason, type Connections, connections } from '../../http/connections.ts';
import { type Address, type Handler, service } from '../../http/service.ts';
import type { Front } from '../stop.ts';

/** A server that answers before the service has opened. `opened`: the same server, which `handle` answers once it is to listen. */
export type SealedFront = { clients: Connections; opened(handle: Handler): Front };

export type SealedFronts = { main: SealedFront; authProxy: SealedFront | undefined; close(): Promise<void> };

/** Listens on the ports of requests. They stay open when the service opens. */
export async function openSealedFronts(
  { host, port, authProxy, maxConnections }: Config,
  closed: (reason: CloseReason) => void,
  sealed: Handler,
): Promise<SealedFronts> {
  const listening: Front[] = [];

  async function open(at: Address): Promise<SealedFront> {
    let handle = sealed;
    const clients = connections({ ...BOUNDS, connections: maxConnections }, closed);
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
    for (const { http } of listening) {
      const ended = http.close();
      http.closeAllConnections();
      await ended;
    }
  }

  try {
    return { main: await open({ host, port }), authProxy: authProxy && (await open(authProxy)), close };
  } catch (error) {
    await close();
    throw error;
  }
}
