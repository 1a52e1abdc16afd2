import { lookup } from 'node:dns/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Connections } from './connections.ts';

export type Address = { host: string; port: number };

export type Service = {
  /** Resolves with the address as a URL. */
  listen(at: Address): Promise<string>;
  /** Takes no more connections and requests. Resolves when the last connection has ended. */
  close(): Promise<void>;
  closeIdleConnections(): void;
  closeAllConnections(): void;
};

export type Handler = (request: IncomingMessage, response: ServerResponse, stopping: boolean) => void;

export const bound = (server: Server, at: Address): Promise<void> =>
  new Promise((done, fail) => {
    server.once('error', fail).listen(at, () => {
      server.off('error', fail);
      done();
    });
  });

const addresses = async (host: string): Promise<string[]> => (await lookup(host, { all: true })).map(({ address }) => address);

/** The further addresses of localhost, which may be 127.0.0.1 and ::1. Other names have one address here. */
async function others({ host, port }: Address, taken: string, addressesOf: typeof addresses): Promise<Address[]> {
  if (host !== 'localhost') return [];
  const all = await addressesOf(host).catch(() => []);
  return all.filter((address) => address !== taken).map((address) => ({ host: address, port }));
}

/**
 * An address that does not exist is left out, such as one of a disabled protocol. An address that another program uses is an error:
 * clients that ask for localhost would find that program there.
 */
const unlessTaken = (wanted: number) => (error: NodeJS.ErrnoException) => {
  if (error.code === 'EADDRINUSE' && wanted !== 0) throw error;
};

/** A server that can listen on several addresses, and refuses requests once it is closed. */
export function service(connections: Connections, handle: Handler, addressesOf = addresses): Service {
  const servers: Server[] = [];
  let stopping = false;

  async function open(at: Address): Promise<AddressInfo> {
    const server = connections.serve((request, response) => handle(request, response, stopping));
    await bound(server, at);
    const taken = server.address() as AddressInfo;
    // Closed meanwhile: nothing closes this one later.
    if (stopping) server.close();
    else servers.push(server);
    return taken;
  }

  const closed = (server: Server): Promise<void> => new Promise((done) => server.close(() => done()));

  return {
    async listen({ host, port }) {
      const { address, port: taken } = await open({ host, port });
      for (const at of await others({ host, port: taken }, address, addressesOf)) await open(at).catch(unlessTaken(port));
      return `http://${address.includes(':') ? `[${address}]` : address}:${taken}`;
    },
    async close() {
      stopping = true;
      await Promise.all(servers.map(closed));
    },
    closeIdleConnections() {
      for (const server of servers) server.closeIdleConnections();
    },
    closeAllConnections() {
      for (const server of servers) server.closeAllConnections();
    },
  };
}
