import type { IpAllowlist } from './ip-allowlist.ts';
import type { MfaPolicy } from './mfa-policy.ts';
import type { OauthProvider } from './oauth-provider.ts';
/** Which credentials a user must have: a passkey, an API key, or any. */
export type AccessType = 'ACCESS_TYPE_WEB' | 'ACCESS_TYPE_API' | 'ACCESS_TYPE_ALL';

export type User = {
  organizationId: string;
  id: string;
  /** The organization's parent, or null. */
  parentId: string | null;
  name: string;
  email: string | null;
  /** E.164. */
  phone: string | null;
  accessType: AccessType;
  /** The user has shown that they receive what is sent to `email`. False if there is none. */
  emailVerified: boolean;
  phoneVerified: boolean;
  /** How many MFA policies the user has. */
  mfaPolicyCount: number;
  version: number;
  createdAt: number;
  updatedAt: number;
};

/** A new user, with defaults for the columns that are not given. */
export function newUser(given: Pick<User, 'organizationId' | 'id' | 'parentId' | 'name' | 'createdAt'> & Partial<User>): User {
  return {
    email: null,
    phone: null,
    accessType: 'ACCESS_TYPE_ALL',
    emailVerified: false,
    phoneVerified: false,
    mfaPolicyCount: 0,
    version: 1,
    updatedAt: given.createdAt,
    ...given,
  };
}

/** What a user stamps with. An API key, unless it has a credential id. */
export type Credential = {
  organizationId: string;
  id: string;
  parentId: string | null;
  userId: string;
  /** CREDENTIAL_TYPE_… */
  type: string;
  name: string;
  /** Hex. Of a passkey: the COSE key in base64url. */
  publicKey: string;
  /** Of a passkey, in base64url. */
  credentialId?: string;
  /** Milliseconds; null: does not expire. */
  expiresAt: number | null;
  expirationSeconds: number | null;
  /** Counts in place of its organization's, which must be enabled, while it has rules. */
  ipAllowlist: IpAllowlist | null;
  /** Of a session: the profile whose scope everything that it submits must meet. */
  sessionProfileId: string | null;
  createdAt: number;
  updatedAt: number;
};

/** What a login has to know of the user's other keys that expire. */
export type ExpiringKey = Pick<Credential, 'id' | 'type' | 'publicKey' | 'expiresAt'>;

/** A new credential, with defaults for the columns that are not given. */
export function newCredential(
  given: Pick<Credential, 'organizationId' | 'id' | 'parentId' | 'userId' | 'type' | 'name' | 'publicKey' | 'createdAt'> &
    Partial<Credential>,
): Credential {
  const none = { expiresAt: null, expirationSeconds: null, ipAllowlist: null, sessionProfileId: null };
  return { ...none, updatedAt: given.createdAt, ...given };
}

/** What a passkey's registration shows. Bytes are base64url without padding. */
export type Passkey = {
  name: string;
  credentialId: string;
  /** The COSE key. */
  publicKey: string;
  /** SHA-256 of the relying party's id: every assertion has to carry the same. */
  rpIdHash: string;
  /** Where it was registered. */
  origin: string;
  aaguid: string;
  /** AUTHENTICATOR_TRANSPORT_… */
  transports: string[];
  /** The attestation statement's format: none, packed, … */
  attestationType: string;
  /** What kind of authenticator the AAGUID stands for, '' if that is not known. */
  model: string;
};

/** A passkey of a user. */
export type Authenticator = Passkey & {
  organizationId: string;
  id: string;
  parentId: string | null;
  userId: string;
  createdAt: number;
  updatedAt: number;
};

/** The type of a key that a recovery mail brings. It stamps a recovery, and nothing else. */
export const RECOVERY_KEY = 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256';

/** The type of a key that a login mail brings. */
export const EMAIL_AUTH_KEY = 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256';

export const PASSKEY_TYPE = 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR';

/** The row of a user's new passkey. */
export function newAuthenticator(
  id: string,
  { organizationId, parentId, id: userId }: User,
  passkey: Passkey,
  now: number,
): Authenticator {
  return { ...passkey, organizationId, id, parentId, userId, createdAt: now, updatedAt: now };
}

/** A passkey as the credential that stamps and votes are made with. */
export function passkeyCredential(authenticator: Authenticator): Credential {
  const { organizationId, id, parentId, userId, name, publicKey, credentialId, createdAt, updatedAt } = authenticator;
  const own = { organizationId, id, parentId, userId, name, publicKey, credentialId, createdAt, updatedAt };
  return newCredential({ ...own, type: PASSKEY_TYPE });
}

/** The visible state of a user at one version of the row. */
export type UserVersion = {
  user: User;
  /** API keys, also those that logins made. */
  credentials: Credential[];
  authenticators: Authenticator[];
  oauthProviders: OauthProvider[];
  mfaPolicies: MfaPolicy[];
  tags: string[];
};

const API_KEY_TYPES: Record<string, string> = {
  API_KEY_CURVE_P256: 'CREDENTIAL_TYPE_API_KEY_P256',
  API_KEY_CURVE_SECP256K1: 'CREDENTIAL_TYPE_API_KEY_SECP256K1',
  API_KEY_CURVE_ED25519: 'CREDENTIAL_TYPE_API_KEY_ED25519',
};

/** The credential type of an API key on this curve (API_KEY_CURVE_…). */
export function apiKeyCredentialType(curve: string): string {
  const type = API_KEY_TYPES[curve];
  if (type === undefined) throw new Error(`no credential type for ${curve}`);
  return type;
}

const apiKeyTypes: ReadonlySet<string> = new Set(Object.values(API_KEY_TYPES));

/** Of API keys, not of keys that logins made. */
export const isApiKeyType = (type: string): boolean => apiKeyTypes.has(type);

/** The curve of a credential's stamps. All flows that issue keys issue P-256 keys. */
export function stampCurve(credentialType: string): 'P256' | 'SECP256K1' | 'ED25519' {
  if (credentialType === 'CREDENTIAL_TYPE_API_KEY_SECP256K1') return 'SECP256K1';
  if (credentialType === 'CREDENTIAL_TYPE_API_KEY_ED25519') return 'ED25519';
  return 'P256';
}

export function isExpired(credential: Pick<Credential, 'expiresAt'>, now: number): boolean {
  return credential.expiresAt !== null && credential.expiresAt <= now;
}
