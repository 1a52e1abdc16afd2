import type { Duplex } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ApiError, Busy } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import type { ActivityKind } from '../engine/activity.ts';
import type { Headers } from '../engine/authenticate.ts';
import type { Log } from '../engine/ports.ts';
import type { QueryKind } from '../engine/query.ts';
import type { Submitted } from '../engine/run.ts';
import { unexpected, wireError } from './errors.ts';
import type { Metrics } from './metrics.ts';
import { type Page, servePages } from './pages.ts';

const BODY_LIMIT = 1024 * 1024;
const JSON_TYPE = 'application/json';

const ALLOWED_HEADERS = [
  'Content-Type',
  'X-Stamp',
  'X-Stamp-Webauthn',
  'X-Stamp-Attested',
  'X-Client-Version',
  'X-Session',
  'X-Auth-Proxy-Config-ID',
  'X-Captcha-Token',
].join(', ');

export type ServerParts = {
  activities: readonly ActivityKind[];
  queries: readonly QueryKind[];
  submit(kind: ActivityKind, body: Buffer, headers: Headers): Promise<Submitted>;
  ask(kind: QueryKind, body: Buffer, headers: Headers): Promise<string>;
  /** Resolves when the service can take work; rejects with the reason. */
  ready(): Promise<void>;
  metrics: Metrics;
  log: Log;
  ids: Ids;
  clock: { now(): number };
  pages: readonly Page[];
};

function headersOf(request: FastifyRequest): Headers {
  const { 'x-stamp': stamp, 'x-stamp-webauthn': webauthnStamp } = request.headers;
  return { stamp: stamp as string | undefined, webauthnStamp: webauthnStamp as string | undefined };
}

/** Errors of the framework that a caller can cause, and those that pass, as ours; anything else stays what it is. */
function asOurs(error: unknown): unknown {
  if (error instanceof Busy)
    return new ApiError('UNAVAILABLE', 'the service is busy: send the same body again', { cause: error });
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('BODY_TOO_LARGE', `bad request body: larger than ${BODY_LIMIT} bytes`);
  if (code?.startsWith('FST_') && statusCode === 503) return new ApiError('UNAVAILABLE', 'the service is stopping: try again');
  if (code?.startsWith('FST_') && statusCode !== undefined && statusCode < 500)
    return new ApiError('REQUEST_INVALID', 'bad request');
  return error;
}

/** With the code of the cause, and no more: anybody may ask, and the log says the rest. */
function reasonOf({ message, cause }: Error): string {
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? `${message} (${code})` : message;
}

/** What is no HTTP, or too much of it, before there is a request: answered in our form too, and the connection ends. */
function answerUnreadable({ code }: Error & { code?: string }, socket: Duplex): void {
  if (code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const large = code === 'HPE_HEADER_OVERFLOW';
  const late = code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const why = large ? 'its headers are larger than 16 KiB' : late ? 'it did not arrive in time' : 'it is no HTTP';
  const { body } = wireError(new ApiError('REQUEST_INVALID', `bad request: ${why}`));
  const status = large ? '431 Request Header Fields Too Large' : late ? '408 Request Timeout' : '400 Bad Request';
  const length = Buffer.byteLength(body);
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: ${JSON_TYPE}\r\ncontent-length: ${length}\r\n\r\n${body}`);
}

/** Routes made from the two lists. Every operation is a POST whose raw bytes reach the engine untouched. */
export function server(parts: ServerParts): FastifyInstance {
  const { log, metrics, ids, clock } = parts;
  const app = Fastify({
    bodyLimit: BODY_LIMIT,
    logger: false,
    exposeHeadRoutes: true,
    requestTimeout: 60_000,
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (_error, _request, reply) => {
      const { status, body } = wireError(new ApiError('REQUEST_INVALID', 'bad request: the path cannot be read'));
      return send(reply, ids.next(), status, body);
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket),
    // Bodies are JSON whatever the caller says of them: some clients name no content type, and a wrong one must not matter.
    rewriteUrl(request) {
      request.headers['content-type'] = 'application/octet-stream';
      return request.url!;
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  let warned = Number.NEGATIVE_INFINITY;
  /** Every request says so while it lasts; the log says it once a second. */
  function warnOfDatabase({ message, cause }: Busy): void {
    if (clock.now() - warned < 1000) return;
    warned = clock.now();
    log.warn({ error: cause }, message);
  }

  function fail(path: string, requestId: string, thrown: unknown): { status: number; body: string } {
    const error = asOurs(thrown);
    if (thrown instanceof Busy) warnOfDatabase(thrown);
    if (error instanceof ApiError && error.code !== 'INTERNAL') return wireError(error);
    log.error({ requestId, path, error }, 'unexpected error');
    return wireError(unexpected(requestId));
  }

  function send(reply: FastifyReply, requestId: string, status: number, body: string): FastifyReply {
    return reply
      .code(status)
      .headers({
        'content-type': JSON_TYPE,
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'x-request-id',
        'cache-control': 'no-store',
        'x-request-id': requestId,
      })
      .send(Buffer.from(body));
  }

  type Done = { body: string; activityId?: string; kind?: string; activityStatus?: string };

  function route(path: string, handle: (body: Buffer, headers: Headers) => Promise<Done>): void {
    app.post(path, async (request, reply) => {
      const started = clock.now();
      const requestId = ids.next();
      let status = 200;
      let done: Done;
      try {
        done = await handle((request.body as Buffer | undefined) ?? Buffer.alloc(0), headersOf(request));
      } catch (error) {
        const failed = fail(path, requestId, error);
        status = failed.status;
        done = { body: failed.body };
      }
      const ms = clock.now() - started;
      metrics.requests.labels(path, String(status)).observe(ms / 1000);
      if (done.kind) metrics.activities.labels(done.kind, done.activityStatus!).inc();
      log.info({ requestId, path, status, ms, activityId: done.activityId }, 'answered');
      return send(reply, requestId, status, done.body);
    });
  }

  for (const kind of parts.activities) {
    route(kind.path, async (body, headers) => {
      const { json, activityId, status } = await parts.submit(kind, body, headers);
      return { body: json, activityId, kind: kind.kind, activityStatus: status };
    });
  }
  for (const kind of parts.queries) route(kind.path, async (body, headers) => ({ body: await parts.ask(kind, body, headers) }));

  const paths = new Set([...parts.activities, ...parts.queries].map((kind) => kind.path));

  app.setErrorHandler((error, request, reply) => {
    const requestId = ids.next();
    const { status, body } = fail(request.url.split('?')[0]!, requestId, error);
    return send(reply, requestId, status, body);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0]!;
    const error = paths.has(path)
      ? new ApiError('METHOD_NOT_ALLOWED')
      : new ApiError('ROUTE_NOT_FOUND', 'no such path: see /docs for the operations');
    const { status, body } = wireError(error);
    if (paths.has(path)) reply.header('allow', 'POST, OPTIONS');
    return send(reply, ids.next(), status, body);
  });
  app.options('/*', (_request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST, OPTIONS',
        'access-control-allow-headers': ALLOWED_HEADERS,
        'access-control-max-age': '86400',
      })
      .send(),
  );
  app.get('/health', (_request, reply) => send(reply, ids.next(), 200, '{"status":"ok"}'));
  app.get('/ready', async (_request, reply) => {
    try {
      await parts.ready();
      return send(reply, ids.next(), 200, '{"status":"ready"}');
    } catch (error) {
      return send(reply, ids.next(), 503, JSON.stringify({ status: 'not ready', reason: reasonOf(error as Error) }));
    }
  });
  app.get('/metrics', async (_request, reply) =>
    reply.header('content-type', metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
  servePages(app, parts.pages);
  return app;
}
