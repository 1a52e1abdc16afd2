import { ApiError } from '../../base/errors.ts';
import type { Over, StampedLimits } from '../../limits/stamped.ts';
import type { Caller } from '../context.ts';

const LATER = 'Please wait and try again in a few seconds';

function tooFast({ of, waitMs }: Over, isActivity: boolean): ApiError {
  const text =
    of === 'user' || !isActivity ? undefined : `this ${of} cannot execute activities because it has been rate limited. ${LATER}`;
  return new ApiError('RATE_LIMIT_EXCEEDED', text, { retryAfterMs: waitMs });
}

/**
 * Throws RATE_LIMIT_EXCEEDED if the caller asks faster than the operator allows. A second call for the same request does
 * nothing.
 */
export type OncePerRequest = (caller: Caller) => void;

/** Undefined if there is no limit. */
export function limitOnce({ stamped }: { stamped: StampedLimits | undefined }, isActivity: boolean): OncePerRequest | undefined {
  if (stamped === undefined) return undefined;
  let taken = false;
  return (caller) => {
    if (taken) return;
    const over = stamped(caller);
    if (over !== undefined) throw tooFast(over, isActivity);
    taken = true;
  };
}
