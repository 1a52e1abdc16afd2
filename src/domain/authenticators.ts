import { ApiError, invalid } from '../base/errors.ts';
import { verifyRegistration } from '../login/passkeys/registration.ts';
import { type Organization, passkeyOrigins } from '../model/organization.ts';
import type { Passkey, User } from '../model/user.ts';
import type { Reader } from '../store/types.ts';
import type { NewAuthenticator } from '../wire/authenticators.ts';
import type { Ctx } from './context.ts';

/** What `verifyAuthenticators` takes of the context of `prepare`; a new organization may stand in for the context's own. */
export type Verifying = { read: Pick<Reader, 'organizations'>; organization: Organization; now: number };

/** Verifies registrations, for `prepare`. Throws REQUEST_INVALID. */
export async function verifyAuthenticators(
  { read, organization, now }: Verifying,
  authenticators: readonly NewAuthenticator[],
  field: string,
): Promise<Passkey[]> {
  if (authenticators.length === 0) return [];
  const { parentId } = organization;
  const top = parentId === null ? organization : await read.organizations.get(parentId);
  if (top === undefined) throw new Error(`no organization ${parentId}`);
  const passkeys: Passkey[] = [];
  for (const [i, given] of authenticators.entries())
    passkeys.push(await verifyRegistration(given, passkeyOrigins(top), now, `${field}[${i}]`));
  return passkeys;
}

/** Adds verified passkeys to a user; returns their ids. Throws LIMIT_EXCEEDED and REQUEST_INVALID. */
export async function addAuthenticators(ctx: Ctx, user: User, passkeys: readonly Passkey[], field: string): Promise<string[]> {
  const { store, ids, now, limits } = ctx;
  if (passkeys.length === 0) return [];
  const { organizationId, parentId } = user;
  const present = await store.authenticators.listByUser(organizationId, user.id);
  if (present.length + passkeys.length > limits.authenticators)
    throw new ApiError(
      'LIMIT_EXCEEDED',
      `user has exceeded maximum authenticators: at most ${limits.authenticators} (LIMIT_AUTHENTICATORS)`,
    );
  const added: string[] = [];
  for (const [i, passkey] of passkeys.entries()) {
    const row = { ...passkey, organizationId, id: ids.next(), parentId, userId: user.id, createdAt: now, updatedAt: now };
    if (!(await store.authenticators.insert(row)))
      throw invalid(`${field}[${i}].attestation.credentialId`, 'this organization has a passkey with this credential id already');
    added.push(row.id);
  }
  return added;
}
