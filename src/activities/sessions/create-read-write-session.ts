import { ApiError } from '../../base/errors.ts';
import { issueCredential, ownerOf } from '../../domain/credentials/sessions.ts';
import { requireNotProxy } from '../../domain/people/auth-proxy.ts';
import { userOfContact } from '../../domain/people/contact-users.ts';
import { emailOf } from '../../domain/people/contacts.ts';
import { userNamed } from '../../domain/people/user-by-id.ts';
import { activity } from '../../engine/activity/declare.ts';
import type { Caller } from '../../engine/context.ts';
import type { Organization } from '../../model/organization.ts';
import type { User } from '../../model/user.ts';
import type { Reader } from '../../store/types.ts';
import { IssuedKey, SessionOwner } from '../../wire/sessions.ts';
import { type Intent, params } from './create-read-write-session.history.ts';

type Ctx = { store: Pick<Reader, 'users'>; organization: Organization; submitter: Caller };

/** The user whom the request names; undefined if it names none. */
async function namedUser({ store, organization }: Ctx, { userId, byEmail }: Intent): Promise<User | undefined> {
  const field = 'parameters.email';
  if (byEmail !== undefined) return userOfContact(store, organization, 'email', emailOf(byEmail, field), field);
  if (userId === undefined) return undefined;
  requireNotProxy(organization, userId, 'parameters.userId');
  return userNamed(store, organization, userId);
}

/** The user of the new session. A policy that lets a user make sessions for others does not let them act as a root user. */
async function userOf(ctx: Ctx, intent: Intent): Promise<User> {
  const caller = ctx.submitter.user;
  const user = (await namedUser(ctx, intent)) ?? caller;
  const { userIds } = ctx.organization.rootQuorum;
  if (user.id !== caller.id && userIds.includes(user.id) && !userIds.includes(caller.id))
    throw new ApiError('REQUEST_NOT_AUTHORIZED', 'request not authorized: only a root user creates a session of a root user');
  return user;
}

export const createReadWriteSession = activity({
  kind: 'CREATE_READ_WRITE_SESSION',
  resource: 'AUTH',
  action: 'CREATE',
  summary: 'Create an API key for a user, for a limited time, sealed to a key of the client',
  submitters: { from: 'below' },
  custody: 'issue',
  params,
  resultBundles: ['credentialBundle'],
  result: { key: 'createReadWriteSessionResultV2', shape: SessionOwner.extend(IssuedKey.shape) },
  oldResults: [
    { until: 1, key: 'createReadWriteSessionResult', shape: SessionOwner.extend(IssuedKey.shape), write: (result) => result },
  ],
  errors: [requireNotProxy, emailOf, userOfContact, userNamed, 'REQUEST_NOT_AUTHORIZED', issueCredential],
  async execute({ ctx, intent }) {
    const user = await userOf(ctx, intent);
    // No other user need approve this. So a session with a profile makes only sessions with that profile, for any user.
    const sessionProfileId = ctx.submitter.credential.sessionProfileId ?? undefined;
    const sort = { type: 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256', defaultName: 'Read Write Session', sessionProfileId };
    return { ...ownerOf(ctx.organization, user), ...(await issueCredential(ctx, user, { ...sort, ...intent })) };
  },
});
