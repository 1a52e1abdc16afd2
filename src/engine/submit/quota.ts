import { ApiError } from '../../base/errors.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';

/** The refusal of a signature: the organization, or its parent, has used its quota. No activity stores it. */
export async function overQuota(read: Reader, { id, parentId }: Organization, now: number): Promise<ApiError> {
  const own = await read.quotas.overUntil(id);
  const until = parentId === null ? own : Math.max(own, await read.quotas.overUntil(parentId));
  const whose = own > now || parentId === null ? 'it' : `its parent organization ("${parentId}")`;
  return new ApiError(
    'SIGNING_QUOTA_EXCEEDED',
    `this organization cannot execute activities that sign, because ${whose} has used its quota of signatures until ${new Date(until).toISOString()}`,
    { retryAfterMs: Math.max(until - now, 1) },
  );
}
