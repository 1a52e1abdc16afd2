import type { IncomingMessage, RequestListener } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import { ApiError } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import { type Account, account } from './account.ts';
import { answerHeaders, PREFLIGHT_HEADERS, pathOf } from './answer.ts';
import { bodyReader } from './body.ts';
import { wireError } from './errors.ts';
import { operationRoutes } from './operations.ts';
import { servePages } from './pages.ts';
import type { ServerParts } from './parts.ts';
import { probeRoutes } from './probes.ts';
import { refuseOthers } from './refusals.ts';

const BODY_LIMIT = 1024 * 1024;

/** A path has one form, so that a path that a proxy keeps from the public is not reached by another form of it. */
function unroutable({ url, headers, httpVersion }: IncomingMessage): ApiError | undefined {
  if (headers.host === undefined && httpVersion === '1.1')
    return new ApiError('REQUEST_INVALID', 'bad request: it has no Host header');
  if (!url!.startsWith('/')) return new ApiError('REQUEST_INVALID', 'bad request: a path begins with /');
  if (/[%#]/.test(pathOf(url!)))
    return new ApiError('REQUEST_INVALID', 'bad request: no path here has a % or a #: send its characters as they are');
  return undefined;
}

/** Refuses unroutable requests before the router sees them. */
function listener(ids: Ids, { answered }: Account, handle: RequestListener): RequestListener {
  return (request, response) => {
    const error = unroutable(request);
    if (error === undefined) {
      // Bodies are JSON whatever the caller says of them: some clients name no content type, and a wrong one must not matter.
      request.headers['content-type'] = 'application/octet-stream';
      return handle(request, response);
    }
    const requestId = ids.next();
    const { status, body, code } = wireError(error);
    answered(request, '', { requestId, path: pathOf(request.url!), status, code });
    response.writeHead(status, { ...answerHeaders(requestId), 'content-length': Buffer.byteLength(body) }).end(body);
  };
}

export function server(parts: ServerParts): FastifyInstance {
  const { log, metrics, ids, clock, connections, pages, proxies } = parts;
  const accounts = account(log, metrics, clock, { bodyLimit: BODY_LIMIT, proxies });
  const app = Fastify({
    bodyLimit: BODY_LIMIT,
    logger: false,
    exposeHeadRoutes: true,
    serverFactory: (handle) => connections.serve(listener(ids, accounts, handle)),
    // The connections' own server answers those.
    clientErrorHandler: () => {},
  });
  app.removeAllContentTypeParsers();
  const readBody = bodyReader(BODY_LIMIT);
  app.addContentTypeParser('*', (_request, payload, done) => readBody(payload as IncomingMessage, done));

  const operations = operationRoutes(app, parts, accounts);
  const probes = probeRoutes(app, parts);
  servePages(app, pages);
  app.options('/*', (_request, reply) => reply.code(204).headers(PREFLIGHT_HEADERS).send());
  refuseOthers(app, parts, accounts, { operations, read: new Set([...probes, ...pages.map(({ path }) => path)]) });
  return app;
}
