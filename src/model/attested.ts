import { createHash } from 'node:crypto';
import { uuidOf } from '../base/ids.ts';
import type { OauthProvider } from './oauth-provider.ts';
import { type Credential, newCredential, type User, type UserVersion } from './user.ts';

/** The scheme of a stamp by a key that belongs to no user, but that a token attests. */
export const ATTESTED_SCHEME = 'SIGNATURE_SCHEME_TK_ATTESTED_P256';

/** Where a user receives codes. */
export type Contact = 'email' | 'phone';

/** Email addresses are compared case-insensitively. */
const keyOf = ({ email, phone }: User, by: Contact): string | null => (by === 'email' ? (email?.toLowerCase() ?? null) : phone);

/** The id is derived from the contact, so another contact is another credential, and no row is needed. */
function idOf(user: User, by: Contact, key: string): string {
  const name = JSON.stringify(['contact', user.organizationId, user.id, by, key]);
  return uuidOf(0, createHash('sha256').update(name, 'utf8').digest('hex'));
}

type Key = Pick<Credential, 'publicKey' | 'expiresAt'>;

/** A user's contact as a credential, for a stamp by a key that was verified with a code. Undefined if the user has no such contact. */
export function contactCredential(user: User, by: Contact, { publicKey, expiresAt }: Key): Credential | undefined {
  const key = keyOf(user, by);
  if (key === null) return undefined;
  const { organizationId, parentId, id: userId, createdAt } = user;
  const whose = { organizationId, parentId, userId, createdAt, publicKey, expiresAt };
  return newCredential({ ...whose, id: idOf(user, by, key), type: 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256', name: by });
}

/** A user's OAuth provider as a credential, for a stamp by a key that the provider's token names. */
export function providerCredential(provider: OauthProvider, { publicKey, expiresAt }: Key): Credential {
  const { organizationId, parentId, id, userId, name, createdAt } = provider;
  const whose = { organizationId, parentId, id, userId, name, createdAt, publicKey, expiresAt };
  return newCredential({ ...whose, type: 'CREDENTIAL_TYPE_OAUTH_KEY_P256' });
}

/** A user's credentials for attested stamps, with the key of one stamp. */
export function attestedCredentials(
  { user, oauthProviders = [] }: Pick<UserVersion, 'user'> & Partial<Pick<UserVersion, 'oauthProviders'>>,
  publicKey: string,
) {
  const key = { publicKey, expiresAt: null };
  const contacts = (['email', 'phone'] as const).flatMap((by) => contactCredential(user, by, key) ?? []);
  return [...contacts, ...oauthProviders.map((provider) => providerCredential(provider, key))];
}

/** The contact that a credential was derived from, if the user still has it. */
export function attestedContact(user: User, credential: Credential): Contact | undefined {
  return (['email', 'phone'] as const).find((by) => contactCredential(user, by, credential)?.id === credential.id);
}
