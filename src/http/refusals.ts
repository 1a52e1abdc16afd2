import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';
import type { Account } from './account.ts';
import { pathOf, send } from './answer.ts';
import { noSuchPath } from './no-such-path.ts';
import type { ServerParts } from './parts.ts';

/** The client ended its connection before its request was complete: nobody is there to be answered. */
const isAbort = (error: unknown, { complete }: IncomingMessage): boolean =>
  !complete && (error as { code?: string }).code === 'ECONNRESET';

/** Answers to requests that reach no route, or fail before one. `operations`: by path; `read`: paths that take GET. */
export function refuseOthers(
  app: FastifyInstance,
  { ids, log }: ServerParts,
  { fail, answered }: Account,
  { operations, read }: { operations: ReadonlyMap<string, string>; read: ReadonlySet<string> },
): void {
  const explain = noSuchPath([...operations.keys(), ...read]);

  function sendError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
    const requestId = ids.next();
    const path = pathOf(request.url);
    const { status, body, code } = fail(path, requestId, thrown);
    answered(request.raw, operations.get(path) ?? '', { requestId, path, status, code });
    return send(reply, requestId, status, body);
  }

  app.setErrorHandler((error, request, reply) => {
    if (!isAbort(error, request.raw)) return sendError(request, reply, error);
    log.debug({ path: pathOf(request.url) }, 'the client ended its connection before its request was complete');
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
}
