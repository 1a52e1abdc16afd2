import { createHash } from 'node:crypto';
import { uuidOf } from '../base/ids.ts';
import type { OauthProvider } from './oauth-provider.ts';
import { type Credential, newCredential, type User, type UserVersion } from './user.ts';

/** Of stamps whose key no user has, but for which a token vouches. */
export const ATTESTED_SCHEME = 'SIGNATURE_SCHEME_TK_ATTESTED_P256';

/** Where a user receives codes. */
export type Contact = 'email' | 'phone';

/** Email addresses are compared without case. */
const keyOf = ({ email, phone }: User, by: Contact): string | null => (by === 'email' ? (email?.toLowerCase() ?? null) : phone);

/** It follows from the contact: another contact is another credential, and nothing needs to be stored of it. */
function idOf(user: User, by: Contact, key: string): string {
  const name = JSON.stringify(['contact', user.organizationId, user.id, by, key]);
  return uuidOf(0, createHash('sha256').update(name, 'utf8').digest('hex'));
}

type Key = Pick<Credential, 'publicKey' | 'expiresAt'>;

/** A user's contact, as the credential of a stamp by a key that was verified by a code. Undefined if the user has none. */
export function contactCredential(user: User, by: Contact, { publicKey, expiresAt }: Key): Credential | undefined {
  const key = keyOf(user, by);
  if (key === null) return undefined;
  const { organizationId, parentId, id: userId, createdAt } = user;
  const whose = { organizationId, parentId, userId, createdAt, publicKey, expiresAt };
  return newCredential({ ...whose, id: idOf(user, by, key), type: 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256', name: by });
}

/** A user's OAuth provider, as the credential of a stamp by a key that its token names. */
export function providerCredential(provider: OauthProvider, { publicKey, expiresAt }: Key): Credential {
  const { organizationId, parentId, id, userId, name, createdAt } = provider;
  const whose = { organizationId, parentId, id, userId, name, createdAt, publicKey, expiresAt };
  return newCredential({ ...whose, type: 'CREDENTIAL_TYPE_OAUTH_KEY_P256' });
}

/** What a user may have attested stamps by, as credentials with the key of one stamp. */
export function attestedCredentials(
  { user, oauthProviders = [] }: Pick<UserVersion, 'user'> & Partial<Pick<UserVersion, 'oauthProviders'>>,
  publicKey: string,
) {
  const key = { publicKey, expiresAt: null };
  const contacts = (['email', 'phone'] as const).flatMap((by) => contactCredential(user, by, key) ?? []);
  return [...contacts, ...oauthProviders.map((provider) => providerCredential(provider, key))];
}

/** The contact that a credential stands for, if the user still has it. */
export function attestedContact(user: User, credential: Credential): Contact | undefined {
  return (['email', 'phone'] as const).find((by) => contactCredential(user, by, credential)?.id === credential.id);
}
