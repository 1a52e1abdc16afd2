import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { ApiError } from '../base/errors.ts';
import { listenOnSocket } from '../base/unix-socket.ts';
import { parseBody } from '../engine/request/body.ts';
import { bodyReader } from '../http/body.ts';
import { calls } from './calls.ts';
import { LeaseLost, type Parts } from './parts.ts';

const LONGEST = 256 * 1024;
const CONNECTIONS = 64;
/** Every wait for a runner ends. */
const WAITS = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000 };
const OPTIONS = { ...WAITS, maxHeaderSize: 8192 };
const SILENT_MS = 120_000;
const HANDSHAKE_MS = 5_000;
/** How long calls that have begun may take once the service stops. */
const GRACE_MS = 5_000;

/** Its owner and its group may connect. */
const MODE = 0o660;

export type RunnerApi = { listen(): Promise<void>; close(): Promise<void> };

const send = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Answers the calls of runners. */
function listenerOf(parts: Parts): RequestListener {
  const readBody = bodyReader(LONGEST);

  function refuse(response: ServerResponse, error: unknown): void {
    if (error instanceof LeaseLost) return void send(response, 409, { error: error.message });
    if (error instanceof ApiError) return void send(response, error.http, { error: error.message });
    parts.log.error({ error }, 'a call of a runner failed');
    send(response, 500, { error: 'internal error: see the log of the service' });
  }

  async function answer({ method, url = '' }: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const call = method === 'POST' ? calls.get(url) : undefined;
    if (call === undefined) return void send(response, 404, { error: 'no such call' });
    try {
      send(response, 200, await call(parts, parseBody(body)));
    } catch (error) {
      refuse(response, error);
    }
  }

  return (request, response) =>
    readBody(request, (error, body) => {
      if (error === null) return void answer(request, response, body);
      // A runner that has died gets no answer.
      if (!request.destroyed || request.complete) refuse(response.setHeader('connection', 'close'), error);
    });
}

function served(server: Server, listen: () => Promise<void>): RunnerApi {
  server.maxConnections = CONNECTIONS;
  server.setTimeout(SILENT_MS, (socket) => socket.destroy());
  return {
    listen,
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      const closing = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      server.closeIdleConnections();
      await closed;
      clearTimeout(closing);
    },
  };
}

/** Serves runners of verifiable apps over a Unix socket. Its file mode is their credential. */
export function runnerApi(path: string, parts: Parts): RunnerApi {
  const server = createServer(OPTIONS, listenerOf(parts));
  return served(server, () => listenOnSocket(server, path, MODE, 'APPS_SOCKET'));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Serves runners on other machines, which show the token. `cert` and `key`: PEM. */
export function runnerApiOverTls(
  { host, port, cert, key, token }: { host: string; port: number; cert: Buffer; key: Buffer; token: string },
  parts: Parts,
): RunnerApi {
  const listener = listenerOf(parts);
  const expected = digest(`Bearer ${token}`);
  const tls = { ...OPTIONS, cert, key, minVersion: 'TLSv1.3', handshakeTimeout: HANDSHAKE_MS } as const;
  const server = createTlsServer(tls, (request, response) => {
    if (timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) return listener(request, response);
    // Its body is not read.
    send(response.setHeader('connection', 'close').setHeader('www-authenticate', 'Bearer'), 401, {
      error: 'the token is not that of the service: compare APPS_TOKEN',
    });
  });
  const listen = () =>
    new Promise<void>((done, fail) => {
      const failed = (error: Error) => fail(new Error(`APPS_TLS_PORT ${port} on ${host} cannot be used: ${error.message}`));
      server.once('error', failed).listen(port, host, () => done(void server.off('error', failed)));
    });
  return served(server, listen);
}
