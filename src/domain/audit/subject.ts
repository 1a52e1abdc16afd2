import { ApiError } from '../../base/errors.ts';
import type { Activity } from '../../model/activity.ts';
import type { Subject } from '../../model/audit-fact.ts';
import type { ActivityFilter, Page, Reader } from '../../store/types.ts';

/** The one subject that filters name. Throws REQUEST_INVALID for several: no index has all of them. */
export function oneSubject(named: readonly Subject[]): Subject | undefined {
  if (named.length > 1)
    throw new ApiError(
      'REQUEST_INVALID',
      'give only one of filterByUserId, filterByCredentialId and filterByWalletId, and compare the others in the answer',
    );
  return named[0];
}

/** Rounds in which a page passes activities whose archive is elsewhere. */
const MOST_ROUNDS = 20;

/** A subject's activities, newest first, archived ones included. With only `before`, those in front of that id. */
export async function activitiesOf(
  read: Reader,
  org: string,
  { subject, filter }: { subject: Subject; filter: ActivityFilter },
  { limit, before, after }: Page,
): Promise<Activity[]> {
  const backwards = before !== undefined && after === undefined;
  let found: Activity[] = [];
  let at: Omit<Page, 'limit'> = { before, after };
  for (let rounds = 0; rounds < MOST_ROUNDS && found.length < limit; rounds++) {
    const wanted = limit - found.length;
    const facts = await read.auditFacts.ofSubject(org, subject, filter, { limit: wanted, ...at });
    const ids = facts.map(({ activityId }) => activityId);
    const some = await read.activities.byIds(org, ids);
    found = backwards ? [...some, ...found] : [...found, ...some];
    if (ids.length < wanted) break;
    at = backwards ? { before: ids[0] } : { before, after: ids.at(-1) };
  }
  return found;
}
