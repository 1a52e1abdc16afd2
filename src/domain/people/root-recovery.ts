import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError } from '../../base/errors.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';

const refused = (why: string) => new ApiError('REQUEST_NOT_AUTHORIZED', `request not authorized: ${why}`);

/** Refuses what the root quorum of the organization, or of its parent, does not want. The user must be a root user. */
export async function requireRecoverable(
  { organizations }: Pick<Reader, 'organizations'>,
  { parentId, rootRecovery, rootQuorum }: Organization,
  userId: string,
): Promise<void> {
  const parent = parentId === null ? undefined : await organizations.get(parentId);
  if (rootRecovery?.refused) throw refused('the root quorum of the organization refuses recoveries by the operator');
  if (parent?.rootRecovery?.refused)
    throw refused('the root quorum of the parent organization refuses recoveries by the operator');
  if (!rootQuorum.userIds.includes(userId)) throw refused(`user ${userId} is not a root user of the organization`);
}
requireRecoverable.errors = errorsOf('REQUEST_NOT_AUTHORIZED');
