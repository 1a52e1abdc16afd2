import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
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
const SILENT_MS = 120_000;
/** How long calls that have begun may take once the service stops. */
const GRACE_MS = 5_000;

/** Its owner and its group may connect. */
const MODE = 0o660;

export type RunnerApi = { listen(): Promise<void>; close(): Promise<void> };

/** Serves runners of verifiable apps over a Unix socket, and nowhere else. */
export function runnerApi(path: string, parts: Parts): RunnerApi {
  const readBody = bodyReader(LONGEST);
  const send = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

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

  const server = createServer({ ...WAITS, maxHeaderSize: 8192 }, (request, response) =>
    readBody(request, (error, body) => {
      if (error === null) return void answer(request, response, body);
      // A runner that has died gets no answer.
      if (!request.destroyed || request.complete) refuse(response.setHeader('connection', 'close'), error);
    }),
  );
  server.maxConnections = CONNECTIONS;
  server.setTimeout(SILENT_MS, (socket) => socket.destroy());

  return {
    listen: () => listenOnSocket(server, path, MODE, 'APPS_SOCKET'),
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      const closing = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      server.closeIdleConnections();
      await closed;
      clearTimeout(closing);
    },
  };
}
