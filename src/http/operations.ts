import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Trace } from '../engine/ports.ts';
import type { Pieces } from '../engine/query/pieces.ts';
import type { Headers } from '../engine/request/stamp.ts';
import type { Account } from './account.ts';
import { ignoredFields, send } from './answer.ts';
import type { ServerParts } from './parts.ts';
import { sendPieces } from './pieces.ts';

type Done = { body: string | Pieces; code?: string; kind?: string; activityStatus?: string };
type Handle = (body: Buffer, headers: Headers, trace: Trace) => Promise<Done>;

function headersOf(request: FastifyRequest): Headers {
  const { 'x-stamp': stamp, 'x-stamp-webauthn': webauthnStamp } = request.headers;
  return { stamp: stamp as string | undefined, webauthnStamp: webauthnStamp as string | undefined };
}

/** Every operation is a POST whose raw bytes reach the engine untouched. */
function operationRoute(
  app: FastifyInstance,
  { clock, ids, metrics }: ServerParts,
  { fail, answered }: Account,
  { path, operation, handle }: { path: string; operation: string; handle: Handle },
): void {
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
    if (typeof done.body === 'string') return send(reply, requestId, status, done.body);
    return sendPieces(reply, requestId, done.body, (error) => fail(path, requestId, error));
  });
}

/** Routes made from the two lists. Returns the operation of each path. */
export function operationRoutes(app: FastifyInstance, parts: ServerParts, accounts: Account): Map<string, string> {
  const operations = new Map<string, string>();
  function add(path: string, operation: string, handle: Handle): void {
    operations.set(path, operation);
    operationRoute(app, parts, accounts, { path, operation, handle });
  }
  for (const kind of parts.activities) {
    add(kind.path, kind.kind, async (body, headers, trace) => {
      const { json, activityId, status } = await parts.submit(kind, body, headers, trace);
      trace.activityId = activityId;
      return { body: json, kind: kind.kind, activityStatus: status };
    });
  }
  for (const kind of parts.queries)
    add(kind.path, kind.name, async (body, headers, trace) => ({ body: await parts.ask(kind, body, headers, trace) }));
  return operations;
}
