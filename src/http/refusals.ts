import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../base/errors.ts';
import type { Account } from './account.ts';
import { type HeaderList, pathOf, send } from './answer.ts';
import type { ServerParts } from './parts.ts';

/** `quiet`: a flood of them must not fill the log. */
export type Refuse = (
  request: IncomingMessage,
  response: ServerResponse,
  thrown: unknown,
  more?: HeaderList,
  quiet?: boolean,
) => void;

/** Answers a request without an operation with an error. */
export function refuser(
  { ids, addressOf }: ServerParts,
  { fail, answered }: Account,
  operationAt: (path: string) => { name: string } | undefined,
): Refuse {
  return (request, response, thrown, more, quiet = false) => {
    const requestId = ids.next();
    const path = pathOf(request.url!);
    const { status, body, code, retryAfter } = fail(path, requestId, thrown);
    const remoteAddress = addressOf(request);
    answered(operationAt(path)?.name ?? '', { requestId, path, status, code, remoteAddress, quiet });
    send(response, { requestId, status, body, retryAfter }, more);
  };
}

/** A path has one form. A path that a proxy hides from the public must not be reachable by another form. */
export function unroutable({ url, headers, httpVersion }: IncomingMessage): ApiError | undefined {
  if (headers.host === undefined && httpVersion === '1.1')
    return new ApiError('REQUEST_INVALID', 'bad request: it has no Host header');
  if (!url!.startsWith('/')) return new ApiError('REQUEST_INVALID', 'bad request: a path begins with /');
  if (/[%#]/.test(pathOf(url!)))
    return new ApiError('REQUEST_INVALID', 'bad request: a path must not have % or #: send its characters unencoded');
  return undefined;
}

/** Why a method and path have nothing here, with the headers of that answer. */
export type Explain = (path: string) => { error: ApiError; headers?: HeaderList };

/** `operations` and `read`: the paths that take POST and GET. `explain`: the error for other paths. */
export function explainer(operations: readonly string[], read: readonly string[], explain: (path: string) => ApiError): Explain {
  const [posts, gets] = [new Set(operations), new Set(read)];
  return (path) => {
    if (posts.has(path)) return { error: new ApiError('METHOD_NOT_ALLOWED'), headers: ['allow', 'POST, OPTIONS'] };
    if (gets.has(path))
      return {
        error: new ApiError('METHOD_NOT_ALLOWED', 'this path accepts only GET'),
        headers: ['allow', 'GET, HEAD, OPTIONS'],
      };
    return { error: explain(path) };
  };
}
