import type { IncomingMessage } from 'node:http';
import { ApiError } from '../base/errors.ts';
import { peerOf } from './address.ts';
import type { Read } from './answer.ts';
import { wireError } from './errors.ts';

export const OUTBOX_PATH = '/dev/outbox';

/** The headers of the answer to a preflight request: pages of other origins may do nothing. */
export const OUTBOX_OPTIONS = { allow: 'GET, HEAD, OPTIONS' };

const isLoopback = (address: string | undefined): boolean => address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address ?? '');

/** The Host that a browser or a command on this machine sends. Another host name may be made to resolve to this machine. */
const LOOPBACK_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;

/** Why a request does not come from this machine, to this machine. Undefined if it does. */
function refusalOf(request: IncomingMessage): string | undefined {
  const { headers } = request;
  if (!isLoopback(peerOf(request))) return 'it came from another machine';
  if (!LOOPBACK_HOST.test(headers.host ?? '')) return 'its Host is not localhost';
  const passedOn = Object.keys(headers).find((name) => name === 'forwarded' || name === 'via' || name.startsWith('x-forwarded-'));
  return passedOn && `a proxy forwarded it (${passedOn})`;
}

/** The messages that were not sent, for users who try the service on their own machine. Pages of other origins may not read them. */
export function devOutboxRead(messages: () => Promise<readonly object[]>): Read {
  return async (request, response) => {
    const why = refusalOf(request);
    const { status, body } =
      why === undefined
        ? { status: 200, body: JSON.stringify({ messages: await messages() }) }
        : wireError(new ApiError('FORBIDDEN', `the outbox answers only requests from this machine: ${why}`));
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
    response.writeHead(status, headers).end(body);
  };
}
