import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SpanOptions, Spans } from '../base/spans.ts';
import type { Account } from './account.ts';
import type { Refuse } from './refusals.ts';

/** The same account. The span of a request gets the fields of its log line, and the line gets the trace's id. */
export function tracedAccount({ fail, answered }: Account, spans: Spans): Account {
  return {
    fail,
    answered(operation, answer) {
      const { requestId, status, code, trace } = answer;
      const traceId = spans.note({
        'http.response.status_code': status,
        'countersign.operation': operation || undefined,
        'countersign.request_id': requestId,
        'countersign.organization_id': trace?.organizationId,
        'countersign.activity_id': trace?.activityId,
        'countersign.activity_type': trace?.type,
        'error.type': code,
      });
      answered(operation, traceId === undefined ? answer : { ...answer, trace: { ...trace, traceId } });
    },
  };
}

/** `route`: a path of our own list. Other paths are chosen by callers, and are in no span. */
function optionsOf({ method, headers }: IncomingMessage, route?: string): SpanOptions {
  const { traceparent } = headers;
  return {
    kind: 'server',
    fields: { 'http.request.method': method, 'http.route': route },
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
  };
}

type Answer<O extends { path: string }> = (
  request: IncomingMessage,
  response: ServerResponse,
  operation: O,
  body: Buffer,
) => Promise<void>;

/** The same function, with a span for each request. Without traces it is that function itself. */
export const tracedAnswer = <O extends { path: string }>(answer: Answer<O>, spans: Spans | undefined): Answer<O> =>
  spans === undefined
    ? answer
    : (request, response, operation, body) => {
        const { path } = operation;
        return spans.around(`POST ${path}`, optionsOf(request, path), () => answer(request, response, operation, body));
      };

/** A flood has no spans, as it has no lines in the log. */
export const tracedRefusal = (refuse: Refuse, spans: Spans | undefined): Refuse =>
  spans === undefined
    ? refuse
    : (request, response, thrown, more, quiet) =>
        quiet
          ? refuse(request, response, thrown, more, quiet)
          : spans.around(request.method!, optionsOf(request), () => refuse(request, response, thrown, more));
