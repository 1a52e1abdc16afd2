import { Lru } from '../../base/lru.ts';
import type { Activity } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import type { ActivityKind } from '../activity/declare.ts';

type Submitted = Pick<Activity, 'userId' | 'userVersion'>;

/**
 * The id of the organization that decides about a stored activity: its submitter's. Its root quorum and policies decide, and
 * only its users vote. Returns a promise only where the submitter may be a user of the parent.
 */
export type Deciding = (
  read: Reader,
  kind: Pick<ActivityKind, 'submitters'>,
  organization: Organization,
  activity: Submitted,
) => string | Promise<string>;

const KEPT = 10_000;

/** The organization of a user never changes, so it is remembered. */
export function deciding(): Deciding {
  const ofParent = new Lru<boolean>(KEPT);
  return (read, { submitters: { from } }, { id, parentId }, activity) => {
    if ((from !== 'parent' && from !== 'proxy') || parentId === null) return id;
    const known = ofParent.get(activity.userId);
    if (known !== undefined) return known ? parentId : id;
    return isUserOf(read, parentId, id, activity).then((is) => {
      ofParent.set(activity.userId, is);
      return is ? parentId : id;
    });
  };
}

/** Whether the submitter is, or was, a user of the parent. User ids are unique, and the version of a deleted user is kept. */
async function isUserOf(read: Reader, parentId: string, id: string, { userId, userVersion }: Submitted): Promise<boolean> {
  if (await read.users.get(parentId, userId)) return true;
  if (await read.users.get(id, userId)) return false;
  return (await read.users.past(parentId, userId, userVersion)) !== undefined;
}
