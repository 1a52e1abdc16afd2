import { ApiError, invalid } from '../../base/errors.ts';
import { rfc3339 } from '../../base/time.ts';

/** How far the timestamp of a new request may differ from the current time. */
const OLDEST_MS = 60 * 60 * 1000;
const NEWEST_MS = 5 * 60 * 1000;

/** Units that are mistaken for milliseconds, and how many of them make a millisecond. */
const OTHER_UNITS = { seconds: 1 / 1000, microseconds: 1000, nanoseconds: 1_000_000 };

/** Wide enough to recognize the unit of a stale time: readings in different units are further apart. */
const YEARS_MS = 10 * 365 * 24 * 60 * 60 * 1000;

const ageOf = (timestampMs: string, now: number): number => now - Number(timestampMs);

/**
 * Refuses a new request that is too old, or too far in the future, by the machine's clock. Throws REQUEST_INVALID. Whether a
 * body is new does not depend on that clock. It is new if it is neither among the activities nor archived. `refusesBefore`: this database
 * is a copy, whose original may have accepted an earlier body.
 */
export function checkLiveness(timestampMs: string, now: number, refusesBefore = 0): void {
  const age = ageOf(timestampMs, now);
  if (age > OLDEST_MS || age < -NEWEST_MS) checkUnit(timestampMs, now);
  if (age > OLDEST_MS) throw unfresh('too old', 'must be at most one hour ago', now);
  if (age < -NEWEST_MS) throw unfresh('too far in the future', 'must be at most five minutes ahead', now);
  if (Number(timestampMs) < refusesBefore) throw ofOriginal(refusesBefore);
}

function ofOriginal(refusesBefore: number): ApiError {
  const rule = `must be at least ${refusesBefore} (${rfc3339(refusesBefore)})`;
  return new ApiError(
    'REQUEST_INVALID',
    `request timestamp is from before this copy of the service: timestampMs ${rule}. The database was restored or copied, and its ` +
      'original may have accepted this body already. Look what became of it, and stamp a new body at that time or later',
    { violations: [{ field: 'timestampMs', description: rule }] },
  );
}

function checkUnit(timestampMs: string, now: number): void {
  for (const [unit, perMs] of Object.entries(OTHER_UNITS)) {
    if (Math.abs(now - Number(timestampMs) / perMs) > YEARS_MS) continue;
    throw invalid('timestampMs', `looks like ${unit}: it must be milliseconds since the epoch, such as "${now}"`);
  }
}

function unfresh(what: string, rule: string, now: number): ApiError {
  return new ApiError(
    'REQUEST_INVALID',
    `request timestamp is ${what}: timestampMs ${rule}, and the clock of the service's machine says ${now}`,
    {
      violations: [{ field: 'timestampMs', description: rule }],
    },
  );
}
