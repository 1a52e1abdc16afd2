import { ApiError } from '../../base/errors.ts';

export const STREAM_LIMITS = { user: 5, organization: 100, process: 1_000 };

const WHOSE = { user: 'this user', organization: 'this organization', process: 'this process of the service' };
const REMEDY = {
  user: 'end one of them, or use it for several pages',
  organization: 'end one of them, or use a webhook endpoint',
  process: 'try again later',
};

/** Open streams of this process, by user, by organization and in all. */
export function streamPlaces(limits = STREAM_LIMITS) {
  const taken = new Map<string, number>();
  const add = (key: string, by: number): void => {
    const count = (taken.get(key) ?? 0) + by;
    if (count === 0) taken.delete(key);
    else taken.set(key, count);
  };

  /** Takes a place, until the returned function is called. Throws LIMIT_EXCEEDED. */
  return (userId: string, organizationId: string): (() => void) => {
    const keys = { user: `user ${userId}`, organization: `organization ${organizationId}`, process: '' };
    for (const whose of ['user', 'organization', 'process'] as const)
      if ((taken.get(keys[whose]) ?? 0) >= limits[whose])
        throw new ApiError('LIMIT_EXCEEDED', `${WHOSE[whose]} already has ${limits[whose]} open streams: ${REMEDY[whose]}`);
    for (const key of Object.values(keys)) add(key, 1);
    return () => {
      for (const key of Object.values(keys)) add(key, -1);
    };
  };
}
