import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import { topLevelOf } from '../../engine/request/caller.ts';
import { verifyRegistration } from '../../login/passkeys/registration.ts';
import { type Organization, passkeyOrigins } from '../../model/organization.ts';
import { newAuthenticator, type Passkey, type User } from '../../model/user.ts';
import type { Reader } from '../../store/types.ts';
import type { NewAuthenticator } from '../../wire/authenticators.ts';
import type { Ctx } from '../context.ts';

/** The part of `prepare`'s context that `verifyAuthenticators` needs. A new organization may replace the context's own. */
export type Verifying = { read: Pick<Reader, 'organizations'>; organization: Organization; now: number };

async function circumstancesOf({ read, organization, now }: Verifying) {
  const top = await topLevelOf(read, organization);
  return { origins: passkeyOrigins(top), now, payer: top.id };
}

/** Verifies a registration, for `prepare`. Throws REQUEST_INVALID and `Unreachable`. */
export async function verifyAuthenticator(ctx: Verifying, given: NewAuthenticator, field: string): Promise<Passkey> {
  return verifyRegistration(given, await circumstancesOf(ctx), field);
}
verifyAuthenticator.errors = errorsOf('REQUEST_INVALID');

/** The same for several. */
export async function verifyAuthenticators(
  ctx: Verifying,
  authenticators: readonly NewAuthenticator[],
  field: string,
): Promise<Passkey[]> {
  if (authenticators.length === 0) return [];
  const circumstances = await circumstancesOf(ctx);
  const passkeys: Passkey[] = [];
  for (const [i, given] of authenticators.entries())
    passkeys.push(await verifyRegistration(given, circumstances, `${field}[${i}]`));
  return passkeys;
}
verifyAuthenticators.errors = errorsOf('REQUEST_INVALID');

/** Throws LIMIT_EXCEEDED unless the user may have this number of further passkeys. */
export async function requireRoomForPasskeys(
  { store, limits }: Pick<Ctx, 'store' | 'limits'>,
  user: User,
  more: number,
): Promise<void> {
  const present = await store.authenticators.listByUser(user.organizationId, user.id);
  if (present.length + more > limits.authenticators)
    throw new ApiError(
      'LIMIT_EXCEEDED',
      `user has exceeded maximum authenticators: at most ${limits.authenticators} (LIMIT_AUTHENTICATORS)`,
    );
}
requireRoomForPasskeys.errors = errorsOf('LIMIT_EXCEEDED');

async function insert({ store, ids, now }: Ctx, user: User, passkey: Passkey, field: string): Promise<string> {
  const row = newAuthenticator(ids.next(), user, passkey, now);
  if (!(await store.authenticators.insert(row)))
    throw invalid(`${field}.attestation.credentialId`, 'this organization already has a passkey with this credential id');
  return row.id;
}

/** Adds a verified passkey to a user; returns its id. Throws LIMIT_EXCEEDED and REQUEST_INVALID. */
export async function addAuthenticator(ctx: Ctx, user: User, passkey: Passkey, field: string): Promise<string> {
  await requireRoomForPasskeys(ctx, user, 1);
  return insert(ctx, user, passkey, field);
}
addAuthenticator.errors = errorsOf('REQUEST_INVALID', requireRoomForPasskeys);

/** The same for several. */
export async function addAuthenticators(ctx: Ctx, user: User, passkeys: readonly Passkey[], field: string): Promise<string[]> {
  if (passkeys.length === 0) return [];
  await requireRoomForPasskeys(ctx, user, passkeys.length);
  const added: string[] = [];
  for (const [i, passkey] of passkeys.entries()) added.push(await insert(ctx, user, passkey, `${field}[${i}]`));
  return added;
}
addAuthenticators.errors = errorsOf(addAuthenticator);
