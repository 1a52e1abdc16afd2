import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { addressBuckets } from '../limits/addresses.ts';
import type { Rate } from '../limits/buckets.ts';
import type { ClientAddress } from './address.ts';
import { CLOSE, type HeaderList } from './answer.ts';

/** Why a request is refused, with the headers of that answer. `again`: the previous one from its address was refused too. */
export type TooMany = { error: ApiError; headers: HeaderList; again: boolean };

/** Undefined if a request may be read. Looks only at its head. */
export type UnstampedLimit = (request: IncomingMessage, response: ServerResponse) => TooMany | undefined;

/** The rest of a larger request is not awaited: its connection ends with the answer. */
const AWAITED = 16 * 1024;

/** The paths that take requests without a stamp. A stamp there does not identify the sender. */
const PUBLIC = '/v1/';

/** Requests that only read pages, probes and metrics, or ask whether a browser may send more. */
const isReading = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

function isStamped({ headers }: IncomingMessage): boolean {
  return Boolean(headers['x-stamp'] || headers['x-stamp-webauthn'] || headers['x-stamp-attested'] || headers['x-session']);
}

function isLimited(request: IncomingMessage): boolean {
  const { method, url } = request;
  if (url!.startsWith(PUBLIC)) return method !== 'OPTIONS';
  return !isStamped(request) && !isReading(method);
}

/**
 * Limits requests without an identified sender, by address. The answer to each accepted request tells the remaining count.
 * `onUnknown`: called once, when a request names its client's address although no proxy is trusted.
 */
export function unstampedLimit(rate: Rate, elapsed: Clock, addressOf: ClientAddress, onUnknown?: () => void): UnstampedLimit {
  const addresses = addressBuckets(rate, elapsed);
  const limit = String(rate.burst);
  let tell = onUnknown;
  return (request, response) => {
    if (!isLimited(request)) return undefined;
    if (tell !== undefined && request.headers['x-forwarded-for'] !== undefined) {
      tell();
      tell = undefined;
    }
    const { left, waitMs, again } = addresses.take(addressOf(request));
    response.setHeader('ratelimit-limit', limit);
    response.setHeader('ratelimit-remaining', String(left));
    if (waitMs === 0) return undefined;
    const error = new ApiError('RATE_LIMIT_EXCEEDED', undefined, { retryAfterMs: waitMs });
    const isAwaited = Number(request.headers['content-length']) <= AWAITED;
    return { error, headers: isAwaited ? [] : CLOSE, again };
  };
}
