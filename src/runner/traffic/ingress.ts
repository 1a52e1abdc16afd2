import { once } from 'node:events';
import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { clientReader } from './client.ts';
import { connectionsOf } from './connections.ts';
import { forward, HEADER_BYTES } from './forward.ts';
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

/** Listens for the traffic of all apps. */
export async function startIngress(options: IngressOptions): Promise<Ingress> {
  const { routes } = options;
  const bounds = { ...BOUNDS, ...options.bounds };
  const appIdOf = appIdReader(options.domain);
  const clientOf = clientReader(options.trustedProxies ?? []);
  const placeOf = placesOf(bounds.connections, bounds.perApp);
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

  function take(request: IncomingMessage, response: ServerResponse, upgrade?: { socket: Duplex; head: Buffer }): void {
    if (!connections.begin(request, response)) return void request.socket.destroy();
    const no = (status: number, reason: string, message: string, headers = {}) => {
      tally.count(reason);
      refuse(response, status, message, { ...headers, ...(status === 400 ? { connection: 'close' } : {}) });
    };
    const wrong = ambiguity(request);
    if (wrong !== undefined) return no(400, 'ambiguous', wrong);
    const appId = appIdOf(request.headers.host!);
    if (appId === undefined || !routes.knows(appId)) return no(404, 'unknown', 'No app has this host name.');
    const socketPath = routes.socketOf(appId);
    if (socketPath === undefined) return no(503, 'not ready', 'The app is not ready. Try again later.', RETRY);
    const giveBack = placeOf(appId);
    if (giveBack === undefined) return no(503, 'busy', 'The app has too many requests. Try again later.', RETRY);
    (upgrade?.socket ?? response).once('close', giveBack);
    const headers = toApp(request, clientOf(request));
    if (upgrade !== undefined) Object.assign(headers, { connection: 'Upgrade', upgrade: 'websocket' });
    forward({ request, response, socketPath, headers, ...(upgrade ? { upgrade } : {}) }, bounds, tally.count);
  }

  server.on('request', take);
  server.on('upgrade', (request, socket: Socket, head) => {
    socket.on('error', () => socket.destroy());
    if (!asksForWebSocket(request)) return void socket.destroy();
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
