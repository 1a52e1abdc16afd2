import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError } from '../../base/errors.ts';

/** Throws LIMIT_EXCEEDED if the organization would exceed a limit. `setting`: the operator's setting for it. */
export function requireRoom(have: number, more: number, limit: number, what: string, setting: string): void {
  if (have + more > limit)
    throw new ApiError(
      'LIMIT_EXCEEDED',
      `this organization has reached its limit of ${limit} ${what} (${setting}): delete some, or ask the operator to raise it`,
    );
}
requireRoom.errors = errorsOf('LIMIT_EXCEEDED');
