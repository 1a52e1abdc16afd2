import { errorsOf } from '../../base/declared-errors.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import { emailKey } from '../../model/contacts.ts';
import { RECOVERY_KEY, type User } from '../../model/user.ts';
import { endReadingSessions } from '../credentials/reading-sessions.ts';
import { requireNotProxy } from './auth-proxy.ts';
import { requireLastingLoginLeft } from './lasting-credentials.ts';
import { userNamed } from './user-by-id.ts';

type Ctx = Pick<ExecuteContext<'none'>, 'store' | 'organization' | 'now'>;

/** A new contact; null removes it. `verified`: the request proves that the user receives messages to it. */
type NewContact = { contact: string | null; verified?: boolean };

/** Omitted members stay unchanged. */
type UserChange = { name?: string | undefined; email?: NewContact | undefined; phone?: NewContact | undefined };

/** A verified contact stays verified while it does not change. */
const isVerified = (given: NewContact, same: boolean, was: boolean): boolean =>
  given.contact !== null && (given.verified === true || (same && was));

const isSameEmail = (a: string | null, b: string | null): boolean => a !== null && b !== null && emailKey(a) === emailKey(b);

/** The columns whose value changes. */
function changedColumns(user: User, { name, email, phone }: UserChange): Partial<User> {
  const wanted: Partial<User> = {
    ...(name !== undefined && { name }),
    ...(email && {
      email: email.contact,
      emailVerified: isVerified(email, isSameEmail(email.contact, user.email), user.emailVerified),
    }),
    ...(phone && {
      phone: phone.contact,
      phoneVerified: isVerified(phone, phone.contact === user.phone, user.phoneVerified),
    }),
  };
  return Object.fromEntries(Object.entries(wanted).filter(([column, value]) => user[column as keyof User] !== value));
}

/** Revokes keys that were mailed to the earlier email. A person who still reads that mail must not log in by one. */
async function revokeRecovery({ store, now }: Pick<Ctx, 'store' | 'now'>, { organizationId, id }: User): Promise<void> {
  for (const key of await store.credentials.listByUser(organizationId, id))
    if (key.type === RECOVERY_KEY) await store.credentials.remove(organizationId, key.id, now);
}

/** Changes a user of the activity's organization. The last way in cannot be removed. */
export async function changeUser({ store, organization, now }: Ctx, userId: string, change: UserChange): Promise<void> {
  const user = await userNamed(store, organization, userId);
  if (change.email?.contact || change.phone?.contact) requireNotProxy(organization, userId, 'parameters.userId');
  const changed = changedColumns(user, change);
  if (Object.keys(changed).length === 0) return;
  await store.users.update(organization.id, userId, changed, now);
  const isEmailGone = changed.email !== undefined && !isSameEmail(changed.email, user.email);
  if (isEmailGone) await revokeRecovery({ store, now }, user);
  // A code to the earlier contact may have signed in.
  if ((isEmailGone && user.email !== null) || (changed.phone !== undefined && user.phone !== null))
    await endReadingSessions({ store, now }, organization.id, userId);
  if (changed.email === null || changed.phone === null) {
    const field = changed.email === null ? 'parameters.userEmail' : 'parameters.userPhoneNumber';
    await requireLastingLoginLeft(store, organization, userId, field);
  }
}
changeUser.errors = errorsOf(requireNotProxy, userNamed, requireLastingLoginLeft);

/** The user proved that they receive messages to this contact of theirs. */
export async function markVerified(
  { store, now }: Pick<Ctx, 'store' | 'now'>,
  user: User,
  kind: 'email' | 'phone',
): Promise<void> {
  if (kind === 'email' ? user.emailVerified : user.phoneVerified) return;
  const verified = kind === 'email' ? { emailVerified: true } : { phoneVerified: true };
  await store.users.update(user.organizationId, user.id, verified, now);
}

/**
 * An outside party, such as an OpenID provider that verified it, vouches that a user receives mail at this address. Does
 * nothing if the user has another email.
 */
export async function markEmailVerified(ctx: Pick<Ctx, 'store' | 'now'>, user: User, email: string): Promise<void> {
  if (isSameEmail(user.email, email)) await markVerified(ctx, user, 'email');
}
