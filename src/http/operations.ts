import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Trace } from '../engine/ports.ts';
import type { Pieces } from '../engine/query/pieces.ts';
import type { Headers } from '../engine/request/stamp.ts';
import type { Warning } from '../model/warning.ts';
import type { Account } from './account.ts';
import { ignoredFields, send } from './answer.ts';
import type { ServerParts } from './parts.ts';
import { sendPieces } from './pieces.ts';
import { warningsText } from './warnings.ts';

/** An operation's answer. A submit's answer names its activity. */
type Done = { json: string | Pieces; activityId?: string; status?: string; warnings?: readonly Warning[] };

export type Operation = {
  path: string;
  name: string;
  run(body: Buffer, headers: Headers, trace: Trace): Promise<Done>;
};

function headersOf({ headers }: IncomingMessage, address: string | undefined): Headers {
  const {
    'x-stamp': stamp,
    'x-stamp-webauthn': webauthnStamp,
    'x-stamp-attested': attestedStamp,
    'x-session': session,
  } = headers as { [name: string]: string | undefined };
  return { stamp, webauthnStamp, attestedStamp, session, address };
}

/** The operations of the two lists, by path. */
export function operationsOf({ activities, queries, submit, ask }: ServerParts): Map<string, Operation> {
  const operations: Operation[] = [
    ...activities.map((kind) => ({
      path: kind.path,
      name: kind.kind,
      run: (body: Buffer, headers: Headers, trace: Trace) => submit(kind, body, headers, trace),
    })),
    ...queries.map((kind) => ({
      path: kind.path,
      name: kind.name,
      run: (body: Buffer, headers: Headers, trace: Trace) => ask(kind, body, headers, trace).then((json) => ({ json })),
    })),
  ];
  return new Map(operations.map((operation) => [operation.path, operation]));
}

export type Operate = (request: IncomingMessage, response: ServerResponse, operation: Operation, body: Buffer) => Promise<void>;

/** Runs an operation on the raw bytes of a request, and answers. */
export function operator({ elapsed, ids, metrics, addressOf }: ServerParts, { fail, answered }: Account): Operate {
  return async (request, response, { path, name, run }, body) => {
    const started = elapsed.now();
    const requestId = ids.next();
    const trace: Trace = {};
    const remoteAddress = addressOf(request);
    let status = 200;
    let code: string | undefined;
    let retryAfter: number | undefined;
    let json: string | Pieces;
    const more: string[] = [];
    try {
      const done = await run(body, headersOf(request, remoteAddress), trace);
      json = done.json;
      if (done.activityId !== undefined) {
        trace.activityId = done.activityId;
        metrics.activities.inc({ kind: name, status: done.status! });
      }
      if (done.warnings?.length) more.push('x-warnings', warningsText(done.warnings));
    } catch (error) {
      ({ status, code, retryAfter, body: json } = fail(path, requestId, error));
    }
    const ms = elapsed.now() - started;
    metrics.requests.observe({ path, status }, ms / 1000);
    answered(name, { requestId, path, status, ms, code, trace, remoteAddress });
    const fields = trace.ignored === undefined ? '' : ignoredFields(trace.ignored);
    if (fields !== '') more.push('x-ignored-fields', fields);
    if (typeof json === 'string') return send(response, { requestId, status, body: json, retryAfter }, more);
    // Not awaited: this function would keep the request's body until the client has read the answer.
    return sendPieces(response, { requestId, pieces: json, failed: (error) => void fail(path, requestId, error) }, more);
  };
}
