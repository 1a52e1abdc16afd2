import type { IncomingMessage, ServerResponse } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import type { ActivityKind } from '../engine/activity/declare.ts';
import type { Submitted } from '../engine/activity/submit.ts';
import type { Trace } from '../engine/ports.ts';
import type { QueryKind } from '../engine/query/declare.ts';
import type { Headers } from '../engine/request/stamp.ts';
import { account, type HttpLog } from './account.ts';
import { bodyReader } from './body.ts';
import type { Connections } from './connections.ts';
import { wireError } from './errors.ts';
import { type Metrics, metricsHeaders } from './metrics.ts';
import { noSuchPath } from './no-such-path.ts';
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

const EXPOSED_HEADERS = ['X-Request-Id', 'Retry-After', 'X-Ignored-Fields'].join(', ');

export type ServerParts = {
  activities: readonly ActivityKind[];
  queries: readonly QueryKind[];
  submit(kind: ActivityKind, body: Buffer, headers: Headers, trace: Trace): Promise<Submitted>;
  ask(kind: QueryKind, body: Buffer, headers: Headers, trace: Trace): Promise<string>;
  /** Resolves when the service can take work; rejects with the reason. */
  ready(): Promise<void>;
  metrics: Metrics;
  /** Another server gives the metrics. */
  metricsElsewhere: boolean;
  /** How many of our own proxies a request came through. */
  proxies: number;
  connections: Connections;
  log: HttpLog;
  ids: Ids;
  clock: { now(): number };
  pages: readonly Page[];
};

function headersOf(request: FastifyRequest): Headers {
  const { 'x-stamp': stamp, 'x-stamp-webauthn': webauthnStamp } = request.headers;
  return { stamp: stamp as string | undefined, webauthnStamp: webauthnStamp as string | undefined };
}

/** With the code of the cause, and no more: anybody may ask, and the log says the rest. */
function reasonOf({ message, cause }: Error): string {
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? `${message} (${code})` : message;
}

const answerHeaders = (requestId: string): Record<string, string> => ({
  'content-type': JSON_TYPE,
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS,
  'cache-control': 'no-store',
  'x-request-id': requestId,
});

/** Bytes of the header that names ignored members. */
const LONGEST_IGNORED = 1024;

/** Paths of ignored members, percent-encoded, as many as fit. */
function ignoredFields(paths: readonly string[]): string {
  let text = '';
  for (const path of paths) {
    const more = `${text === '' ? '' : ', '}${encodeURIComponent(path)}`;
    if (text.length + more.length <= LONGEST_IGNORED) text += more;
  }
  return text;
}

function send(reply: FastifyReply, requestId: string, status: number, body: string): FastifyReply {
  if (status === 503) reply.header('retry-after', '1');
  return reply.code(status).headers(answerHeaders(requestId)).send(Buffer.from(body));
}

const pathOf = (url: string): string => url.split('?', 1)[0]!;

/** What no router has to look at: a path has one form, so that what a proxy keeps from the public is not reached by another. */
function unroutable({ url, headers, httpVersion }: IncomingMessage): ApiError | undefined {
  if (headers.host === undefined && httpVersion === '1.1')
    return new ApiError('REQUEST_INVALID', 'bad request: it has no Host header');
  if (!url!.startsWith('/')) return new ApiError('REQUEST_INVALID', 'bad request: a path begins with /');
  if (/[%#]/.test(pathOf(url!)))
    return new ApiError('REQUEST_INVALID', 'bad request: no path here has a % or a #: send its characters as they are');
  return undefined;
}

/** The client ended its connection before its request was whole: nobody is there to be answered. */
const isAbort = (error: unknown, { complete }: IncomingMessage): boolean =>
  !complete && (error as { code?: string }).code === 'ECONNRESET';

/** Routes made from the two lists. Every operation is a POST whose raw bytes reach the engine untouched. */
export function server(parts: ServerParts): FastifyInstance {
  const { log, metrics, ids, clock } = parts;
  const { fail, answered } = account(log, metrics, clock, { bodyLimit: BODY_LIMIT, proxies: parts.proxies });

  function refuse(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
    const requestId = ids.next();
    const { status, body, code } = wireError(error);
    answered(request, '', { requestId, path: pathOf(request.url!), status, code });
    response.writeHead(status, { ...answerHeaders(requestId), 'content-length': Buffer.byteLength(body) }).end(body);
  }

  const app = Fastify({
    bodyLimit: BODY_LIMIT,
    logger: false,
    exposeHeadRoutes: true,
    serverFactory: (handle) =>
      parts.connections.serve((request, response) => {
        const error = unroutable(request);
        if (error) return refuse(request, response, error);
        // Bodies are JSON whatever the caller says of them: some clients name no content type, and a wrong one must not matter.
        request.headers['content-type'] = 'application/octet-stream';
        handle(request, response);
      }),
    // The connections' own server answers those.
    clientErrorHandler: () => {},
  });
  app.removeAllContentTypeParsers();
  const readBody = bodyReader(BODY_LIMIT);
  app.addContentTypeParser('*', (_request, payload, done) => readBody(payload as IncomingMessage, done));

  type Done = { body: string; code?: string; kind?: string; activityStatus?: string };

  function route(path: string, operation: string, handle: (body: Buffer, headers: Headers, trace: Trace) => Promise<Done>): void {
    app.post(path, async (request, reply) => {
      const started = clock.now();
      const requestId = ids.next();
      const trace: Trace = {};
      const bytes = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
      // A client may take its time to read the answer, and the body must not be kept for that long.
      request.body = undefined;
      let status = 200;
      let done: Done;
      try {
        done = await handle(bytes, headersOf(request), trace);
      } catch (error) {
        const failed = fail(path, requestId, error);
        status = failed.status;
        done = failed;
      }
      const ms = clock.now() - started;
      metrics.requests.labels(path, String(status)).observe(ms / 1000);
      if (done.kind) metrics.activities.labels(done.kind, done.activityStatus!).inc();
      answered(request.raw, operation, { requestId, path, status, ms, code: done.code, trace });
      const fields = trace.ignored === undefined ? '' : ignoredFields(trace.ignored);
      if (fields !== '') reply.header('x-ignored-fields', fields);
      return send(reply, requestId, status, done.body);
    });
  }

  for (const kind of parts.activities) {
    route(kind.path, kind.kind, async (body, headers, trace) => {
      const { json, activityId, status } = await parts.submit(kind, body, headers, trace);
      trace.activityId = activityId;
      return { body: json, kind: kind.kind, activityStatus: status };
    });
  }
  for (const kind of parts.queries)
    route(kind.path, kind.name, async (body, headers, trace) => ({ body: await parts.ask(kind, body, headers, trace) }));

  function sendError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
    const requestId = ids.next();
    const path = pathOf(request.url);
    const { status, body, code } = fail(path, requestId, thrown);
    answered(request.raw, operations.get(path) ?? '', { requestId, path, status, code });
    return send(reply, requestId, status, body);
  }

  const operations = new Map([
    ...parts.activities.map(({ path, kind }) => [path, kind] as const),
    ...parts.queries.map(({ path, name }) => [path, name] as const),
  ]);
  const metricsHere = parts.metricsElsewhere ? [] : ['/metrics'];
  const read = new Set(['/health', '/ready', ...metricsHere, ...parts.pages.map(({ path }) => path)]);
  const explain = noSuchPath([...operations.keys(), ...read]);

  app.setErrorHandler((error, request, reply) => {
    if (!isAbort(error, request.raw)) return sendError(request, reply, error);
    log.debug({ path: pathOf(request.url) }, 'the client ended its connection before its request was whole');
    return reply.hijack();
  });
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url);
    if (operations.has(path)) {
      reply.header('allow', 'POST, OPTIONS');
      return sendError(request, reply, new ApiError('METHOD_NOT_ALLOWED'));
    }
    if (read.has(path)) {
      reply.header('allow', 'GET, HEAD, OPTIONS');
      return sendError(request, reply, new ApiError('METHOD_NOT_ALLOWED', 'this path takes GET'));
    }
    return sendError(request, reply, explain(path));
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
  for (const path of metricsHere)
    app.get(path, async (_request, reply) => reply.headers(metricsHeaders(metrics)).send(await metrics.page()));
  servePages(app, parts.pages);
  return app;
}
