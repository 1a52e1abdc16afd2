import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { clientReader } from './client.ts';
import { connectionsOf } from './connections.ts';
import { type Forwarded, forward, HEADER_BYTES } from './forward.ts';
import { toApp } from './headers.ts';
import { appIdReader } from './hosts.ts';
import { placesOf } from './places.ts';
import { refuse } from './refuse.ts';
import { tallyOf } from './tally.ts';
import type { Ingress, IngressBounds, IngressOptions } from './types.ts';
import { asksForWebSocket } from './web-socket.ts';

const BOUNDS: IngressBounds = {
  connections: 2048,
  // Below the connections that an app's forwarder takes.
  perApp: 200,
  headersMs: 20_000,
  requestMs: 600_000,
  answerMs: 60_000,
  // As an app's forwarder has it.
  idleMs: 120_000,
};

/** Longer than reverse proxies keep connections. */
const KEEP_ALIVE_MS = 72_000;

const RETRY = { 'retry-after': '5' };

/** What a request must not have, since two programs could read it in two ways. */
function ambiguity({ url, httpVersion, headersDistinct }: IncomingMessage): string | undefined {
  if (headersDistinct.host?.length !== 1) return 'A request has one Host.';
  if (!url!.startsWith('/')) return 'The target of a request is a path.';
  const codings = headersDistinct['transfer-encoding'];
  if (httpVersion !== '1.1' && (httpVersion !== '1.0' || codings !== undefined)) return 'A request is of HTTP/1.1.';
  if (codings !== undefined && codings.join().toLowerCase() !== 'chunked') return 'The only Transfer-Encoding is chunked.';
  return undefined;
}

type Found =
  | { socketPath: string; giveBack: () => void }
  | { refusal: number; reason: string; message: string; headers?: OutgoingHttpHeaders };

/** Tells the app of a request, and takes a place of it. */
function finder({ routes, domain }: IngressOptions, { connections, perApp }: IngressBounds): (request: IncomingMessage) => Found {
  const appIdOf = appIdReader(domain);
  const placeOf = placesOf(connections, perApp);
  return (request) => {
    const message = ambiguity(request);
    if (message !== undefined) return { refusal: 400, reason: 'ambiguous', message, headers: { connection: 'close' } };
    const appId = appIdOf(request.headers.host!);
    if (appId === undefined || !routes.knows(appId))
      return { refusal: 404, reason: 'unknown', message: 'No app has this host name.' };
    const socketPath = routes.socketOf(appId);
    if (socketPath === undefined)
      return { refusal: 503, reason: 'not ready', message: 'The app is not ready. Try again later.', headers: RETRY };
    const giveBack = placeOf(appId);
    if (giveBack === undefined)
      return { refusal: 503, reason: 'busy', message: 'The app has too many requests. Try again later.', headers: RETRY };
    return { socketPath, giveBack };
  };
}

/** Listens for the traffic of all apps. */
export async function startIngress(options: IngressOptions): Promise<Ingress> {
  const bounds = { ...BOUNDS, ...options.bounds };
  const find = finder(options, bounds);
  const clientOf = clientReader(options.trustedProxies ?? []);
  const tally = tallyOf(options.log, {}, "requests to apps were refused, or got no app's answer");
  const server = createServer({
    maxHeaderSize: HEADER_BYTES,
    headersTimeout: bounds.headersMs,
    requestTimeout: bounds.requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(1000, bounds.headersMs),
    insecureHTTPParser: false,
    shouldUpgradeCallback: asksForWebSocket,
  });
  server.timeout = bounds.idleMs;
  const connections = connectionsOf(server, bounds.connections, tally.count);

  function take(request: IncomingMessage, response: ServerResponse, upgrade?: Forwarded['upgrade']): void {
    if (!connections.begin(request, response)) {
      request.socket.destroy();
      return;
    }
    const found = find(request);
    if ('refusal' in found) {
      tally.count(found.reason);
      refuse(response, found.refusal, found.message, found.headers);
      return;
    }
    (upgrade?.socket ?? response).once('close', found.giveBack);
    const headers = toApp(request, clientOf(request));
    if (upgrade !== undefined) Object.assign(headers, { connection: 'Upgrade', upgrade: 'websocket' });
    const { socketPath } = found;
    forward({ request, response, socketPath, headers, ...(upgrade ? { upgrade } : {}) }, bounds, tally.count);
  }

  server.on('request', take);
  server.on('upgrade', (request, socket: Socket, head) => {
    socket.on('error', () => socket.destroy());
    if (!asksForWebSocket(request)) {
      socket.destroy();
      return;
    }
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    take(request, response, { socket, head });
  });

  server.listen(options.port, options.host);
  await once(server, 'listening');
  // Such as a lack of file descriptors. The next connection may succeed.
  server.on('error', ({ code }: NodeJS.ErrnoException) => tally.count(`accept ${code}`));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      connections.destroy();
      await closed;
      tally.close();
    },
  };
}
