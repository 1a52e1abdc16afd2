import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { addressBuckets } from '../limits/addresses.ts';
import type { Rate } from '../limits/buckets.ts';
import type { ClientAddress } from './address.ts';
import { CLOSE, type HeaderList } from './answer.ts';

/** Why a request is not taken, with the headers of that answer. `again`: the one before it from there was not taken either. */
export type TooMany = { error: ApiError; headers: HeaderList; again: boolean };

/** Undefined if a request may be read. Looks at nothing but its head. */
export type UnstampedLimit = (request: IncomingMessage, response: ServerResponse) => TooMany | undefined;

/** The rest of a request that is larger is not waited for: its connection ends with the answer. */
const AWAITED = 16 * 1024;

/** The paths that take requests without a stamp. A stamp there says nothing about who sends it. */
const PUBLIC = '/v1/';

/** What only reads pages, probes and metrics, and asks whether a browser may send more. */
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
 * Requests of which nothing says who sends them, by address. Each that is taken is answered with what is left. `untold`: called once, when
 * a request names the address of its client and no proxy is trusted to.
 */
export function unstampedLimit(rate: Rate, elapsed: Clock, addressOf: ClientAddress, untold?: () => void): UnstampedLimit {
  const addresses = addressBuckets(rate, elapsed);
  const limit = String(rate.burst);
  let tell = untold;
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
