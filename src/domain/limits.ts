import { ApiError } from '../base/errors.ts';

/** Throws if the organization would have more of something than it may. `setting` is what an operator changes it by. */
export function requireRoom(have: number, more: number, limit: number, what: string, setting: string): void {
  if (have + more > limit)
    throw new ApiError(
      'LIMIT_EXCEEDED',
      `this organization has reached its limit of ${limit} ${what} (${setting}): delete some, or ask the operator to raise it`,
    );
}
