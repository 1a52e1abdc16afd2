import { ApiError } from '../../base/errors.ts';
import type { Activity } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import type { Caller } from '../context.ts';
import { credentialOf } from '../credentials.ts';

/** The submitter of a stored activity, or its credential, was deleted since. The activity cannot be carried out for it. */
export class SubmitterGone extends ApiError {
  constructor(what: string) {
    super('REQUEST_NOT_AUTHORIZED', `request not authorized: the ${what} that submitted this activity was deleted`);
  }
}

const present = <T>(value: T | undefined, what: string): PropertyDescriptor =>
  value === undefined
    ? {
        get() {
          throw new SubmitterGone(what);
        },
      }
    : { value, enumerable: true };

/**
 * The submitter of a stored activity: a user of the organization that decides about it. If the user or the credential was
 * deleted, each use of it throws SubmitterGone. Most activities do not use it.
 */
export async function submitterOf(read: Reader, organization: Organization, activity: Activity): Promise<Caller> {
  const user = await read.users.get(organization.id, activity.userId);
  const credential = user && (await credentialOf(read, organization.id, activity));
  const caller = { user: present(user, 'user'), credential: present(credential, 'credential') };
  return Object.defineProperties({ organization }, caller) as Caller;
}
