import { ApiError } from '../../base/errors.ts';
import type { Activity } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import type { Caller } from '../context.ts';
import { credentialOf } from '../credentials.ts';

/** What submitted a stored activity has left since, so that it cannot be carried out for it. */
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
 * Who submitted a stored activity: a user of the organization that decides about it. If the user or the credential is gone, whatever asks
 * for it throws SubmitterGone: most activities do not ask.
 */
export async function submitterOf(read: Reader, organization: Organization, activity: Activity): Promise<Caller> {
  const user = await read.users.get(organization.id, activity.userId);
  const credential = user && (await credentialOf(read, organization.id, activity));
  const caller = { user: present(user, 'user'), credential: present(credential, 'credential') };
  return Object.defineProperties({ organization }, caller) as Caller;
}
