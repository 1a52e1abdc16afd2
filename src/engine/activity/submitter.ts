import { ApiError } from '../../base/errors.ts';
import type { Activity } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import type { Caller } from '../context.ts';
import { credentialOf, credentialThen } from '../credentials.ts';
import { voterThen } from './voters.ts';

/** Who submitted a stored activity has left since, so that it cannot be carried out for them. */
export class SubmitterGone extends ApiError {
  constructor() {
    super('REQUEST_NOT_AUTHORIZED', 'request not authorized: the user who submitted this activity was deleted');
  }
}

/**
 * Who submitted a stored activity: a user of the organization that decides about it. A credential that is gone is as it was then. Of a
 * user who is gone, `user` and `credential` throw SubmitterGone: most activities do not ask.
 */
export async function submitterOf(read: Reader, organization: Organization, activity: Activity): Promise<Caller> {
  const user = await read.users.get(organization.id, activity.userId);
  const credential = user && ((await credentialOf(read, organization.id, activity)) ?? (await past()));
  if (user && credential) return { organization, user, credential };
  const gone = (): never => {
    throw new SubmitterGone();
  };
  return Object.defineProperties({ organization }, { user: { get: gone }, credential: { get: gone } }) as Caller;

  async function past() {
    const then = await voterThen(read, organization.id, activity);
    return then && credentialThen(then, activity);
  }
}
