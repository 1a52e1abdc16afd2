import { errorsOf } from '../../base/declared-errors.ts';
import type { IssuingVault, SessionVault } from '../../custody/types.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import { frozenUser } from '../../engine/request/frozen-user.ts';
import { mintSessionToken } from '../../login/tokens/session-token.ts';
import type { Organization } from '../../model/organization.ts';
import { isReading, READ_PROFILE, type SessionProfile } from '../../model/session-profile.ts';
import {
  type Credential,
  EMAIL_AUTH_KEY,
  type ExpiringKey,
  isExpired,
  newCredential,
  RECOVERY_KEY,
  type User,
} from '../../model/user.ts';
import type { SessionOwner } from '../../wire/sessions.ts';
import type { Ctx } from '../context.ts';
import { addCredential, makeRoom, makeRoomToRead, p256KeyOf } from './api-keys.ts';
import { profileOfLogin, sessionSeconds } from './session-profiles.ts';
import { sealTo } from './target-keys.ts';

/** `expirationSeconds`: as the request has it. */
type Life = { expirationSeconds?: string | undefined; invalidateExisting?: boolean | undefined };

export type Login = Life & { publicKey: string; sessionProfileId?: string | undefined };

export type Issued = Life & {
  /** Such as CREDENTIAL_TYPE_OAUTH_KEY_P256. */
  type: string;
  /** Such as `Oauth`: the time of the login is appended. */
  defaultName: string;
  apiKeyName?: string | undefined;
  targetPublicKey: string;
  sessionProfileId?: string | undefined;
};

/** Keys that exist before a user has proved that they receive the mail. */
const MAILED: readonly string[] = [EMAIL_AUTH_KEY, RECOVERY_KEY];

type LoginCtx = Ctx & Pick<ExecuteContext<'none'>, 'submitter'>;

type Key = Pick<Credential, 'type' | 'name' | 'publicKey'>;

const named = (name: string, { now }: Ctx): string => `${name} - ${Math.floor(now / 1000)}`;

/** A key that every user may make gives its maker no more time, and no more addresses. */
function narrowed(key: Credential, { expiresAt, ipAllowlist }: Credential): Credential {
  const ends = Math.min(key.expiresAt ?? Infinity, expiresAt ?? Infinity);
  return { ...key, expiresAt: ends, expirationSeconds: Math.max(1, Math.ceil((ends - key.createdAt) / 1000)), ipAllowlist };
}

/**
 * Registers a key that a login made. If existing keys are invalidated, the user's others of the same type are removed. That
 * includes the one that stamped the request. Then the limit of expiring keys makes room.
 */
async function register(
  ctx: LoginCtx,
  user: User,
  key: Key,
  life: Life,
  field: string,
  profile: SessionProfile | undefined,
): Promise<Credential> {
  if (user.frozen) throw frozenUser(user.id);
  const { store, now, ids } = ctx;
  const { organizationId, id: userId, parentId } = user;
  const reads = profile === READ_PROFILE;
  const isReplaced = (other: ExpiringKey): boolean => {
    // Such a login needs no approval, so it ends no other session.
    if (reads && !isReading(other)) return false;
    const isSame = other.type === key.type;
    return (
      (other.publicKey === key.publicKey && (isSame || isExpired(other, now))) || (isSame && life.invalidateExisting === true)
    );
  };
  const theirs = await store.credentials.expiring(organizationId, userId);
  for (const { id } of theirs.filter(isReplaced)) await store.credentials.remove(organizationId, id, now);
  const mine = theirs.filter((other) => !isReplaced(other));
  if (reads) await makeRoomToRead(ctx, user, mine);
  else await makeRoom(ctx, user, mine, { longLived: 0, expiring: 1, mailed: MAILED.includes(key.type) ? key.type : undefined });
  const seconds = sessionSeconds(life.expirationSeconds, profile);
  const ends = { expiresAt: now + seconds * 1000, expirationSeconds: seconds };
  const scope = { sessionProfileId: profile?.id ?? null };
  const own = { organizationId, id: ids.next(), parentId, userId };
  const made = newCredential({ ...own, ...key, ...ends, ...scope, createdAt: now });
  const credential = reads && ctx.submitter.user.id === userId ? narrowed(made, ctx.submitter.credential) : made;
  await addCredential(ctx, credential, field);
  return credential;
}

/** The owner of a session, as results show it. */
export const ownerOf = ({ id, name }: Organization, user: User): SessionOwner => ({
  organizationId: id,
  organizationName: name,
  userId: user.id,
  username: user.name,
});

/**
 * Logs a user in with a key that the client has. A key that already is the user's session gets a new lifetime. `known`: a key in its stored
 * form, which need not be parsed again.
 */
export async function logIn(
  ctx: LoginCtx & { vault: SessionVault },
  user: User,
  { publicKey: given, sessionProfileId, ...life }: Login,
  known: string | null = null,
): Promise<{ session: string }> {
  const field = 'parameters.publicKey';
  const publicKey = given === known ? known : p256KeyOf(given, field);
  const profile = await profileOfLogin(ctx, user, sessionProfileId);
  const key = { type: 'CREDENTIAL_TYPE_LOGIN', name: named('Login', ctx), publicKey };
  return { session: mintSessionToken(ctx.vault, await register(ctx, user, key, life, field, profile), profile) };
}
logIn.errors = errorsOf('FROZEN', p256KeyOf, profileOfLogin, makeRoom, addCredential);

/** Makes a key for a user, registers it, and seals it to the client's key. */
export async function issueCredential(
  ctx: LoginCtx & { vault: IssuingVault },
  user: User,
  { type, defaultName, apiKeyName, targetPublicKey, sessionProfileId, ...life }: Issued,
): Promise<{ apiKeyId: string; credentialBundle: string }> {
  const { publicKey, credentialBundle } = sealTo(targetPublicKey, (target) => ctx.vault.newCredential(target));
  const key = { type, name: apiKeyName ?? named(defaultName, ctx), publicKey };
  const profile = await profileOfLogin(ctx, user, sessionProfileId);
  const { id } = await register(ctx, user, key, life, 'parameters.targetPublicKey', profile);
  return { apiKeyId: id, credentialBundle };
}
issueCredential.errors = errorsOf('FROZEN', sealTo, makeRoom, addCredential);
