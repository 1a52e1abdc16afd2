import type { Activity } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import type { ActivityKind } from '../activity/declare.ts';
import { loadOrganization } from '../request/caller.ts';

type Submitted = Pick<Activity, 'userId' | 'userVersion'>;

/**
 * The organization that decides about a stored activity: its submitter's. Its root quorum and policies are asked, and its users alone may
 * vote. A promise only where the submitter may be a user of the parent.
 */
export function decidingOrganization(
  read: Reader,
  kind: Pick<ActivityKind, 'callers'>,
  organization: Organization,
  activity: Submitted,
): Organization | Promise<Organization> {
  if (kind.callers !== 'parent' || organization.parentId === null) return organization;
  return isUserOf(read, organization.parentId, organization.id, activity).then((is) =>
    is ? loadOrganization(read, organization.parentId!) : organization,
  );
}

/** Whether the submitter is, or was, a user of the parent. Ids of users are unique, and the version of a deleted user is kept. */
async function isUserOf(read: Reader, parentId: string, id: string, { userId, userVersion }: Submitted): Promise<boolean> {
  if (await read.users.get(parentId, userId)) return true;
  if (await read.users.get(id, userId)) return false;
  return (await read.users.past(parentId, userId, userVersion)) !== undefined;
}
