import { once } from 'node:events';
import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { connectionsOf } from './connections.ts';
import { refuse } from './refuse.ts';
import { tallyOf } from './tally.ts';
import { tunnel } from './tunnel.ts';
import type { Egress, EgressBounds, EgressOptions } from './types.ts';

const BOUNDS: EgressBounds = {
  connections: 64,
  headersMs: 10_000,
  connectMs: 10_000,
  // As an app's forwarder has it.
  idleMs: 120_000,
};

const HEADER_BYTES = 8192;

/** Removes the socket of a runner that was killed. */
function removeSocket(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) unlinkSync(path);
}

/** Listens for the CONNECT requests of one app. */
export async function startEgress(options: EgressOptions): Promise<Egress> {
  const { socket: path, guard, deploymentId, log } = options;
  const bounds = { ...BOUNDS, ...options.bounds };
  const tally = tallyOf(log, { deploymentId }, 'connections of an app to the outside were refused');
  const stop = new AbortController();
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: bounds.headersMs,
      requestTimeout: bounds.headersMs,
      connectionsCheckingInterval: Math.min(1000, bounds.headersMs),
      insecureHTTPParser: false,
    },
    (_request, response) => {
      tally.count('no CONNECT');
      refuse(response, 405, 'This proxy takes CONNECT alone.', { allow: 'CONNECT', connection: 'close' });
    },
  );
  server.timeout = bounds.idleMs;
  const connections = connectionsOf(server, bounds.connections, tally.count);
  server.on('connect', (request, socket: Socket, head: Buffer) => {
    connections.keep(socket);
    void tunnel({ target: request.url!, socket, head, connect: guard, bounds, stop: stop.signal, refused: tally.count });
  });

  removeSocket(path);
  server.listen(path);
  await once(server, 'listening');
  server.on('error', ({ code }: NodeJS.ErrnoException) => tally.count(`accept ${code}`));
  // The forwarder is another user. The folder tells which users reach the socket.
  chmodSync(path, 0o666);
  return {
    socket: path,
    async close() {
      const closed = once(server, 'close');
      server.close();
      stop.abort();
      connections.destroy();
      await closed;
      tally.close();
    },
  };
}
