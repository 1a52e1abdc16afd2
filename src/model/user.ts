import type { IpAllowlist } from './ip-allowlist.ts';
import type { MfaPolicy } from './mfa-policy.ts';
import type { OauthProvider } from './oauth-provider.ts';
/** The credentials that a user must have: a passkey, an API key, or any. */
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
  /** The user has verified `email` by receiving a message there. False if there is none. */
  emailVerified: boolean;
  phoneVerified: boolean;
  /** The number of the user's MFA policies. */
  mfaPolicyCount: number;
  /** Everything that the user submits is refused, and their votes do not count. */
  frozen: boolean;
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
    frozen: false,
    version: 1,
    updatedAt: given.createdAt,
    ...given,
  };
}

/** A credential that a user stamps with. It is an API key, unless it has a credential id. */
export type Credential = {
  organizationId: string;
  id: string;
  parentId: string | null;
  userId: string;
  /** CREDENTIAL_TYPE_… */
  type: string;
  name: string;
  /** Hex. For a passkey: the COSE key in base64url. */
  publicKey: string;
  /** For a passkey, in base64url. */
  credentialId?: string;
  /** Milliseconds. Null: the credential does not expire. */
  expiresAt: number | null;
  expirationSeconds: number | null;
  /** While this list has rules, it replaces the list of its organization, which must be enabled. */
  ipAllowlist: IpAllowlist | null;
  /** For a session's key: the profile. Everything that the session submits must meet the profile's scope. */
  sessionProfileId: string | null;
  createdAt: number;
  updatedAt: number;
};

/** The facts that a login needs about the user's other keys with an expiry. */
export type ExpiringKey = Pick<Credential, 'id' | 'type' | 'publicKey' | 'expiresAt' | 'sessionProfileId'>;

/** A new credential, with defaults for the columns that are not given. */
export function newCredential(
  given: Pick<Credential, 'organizationId' | 'id' | 'parentId' | 'userId' | 'type' | 'name' | 'publicKey' | 'createdAt'> &
    Partial<Credential>,
): Credential {
  const none = { expiresAt: null, expirationSeconds: null, ipAllowlist: null, sessionProfileId: null };
  return { ...none, updatedAt: given.createdAt, ...given };
}

/** The data from a passkey's registration. Bytes are base64url without padding. */
export type Passkey = {
  name: string;
  credentialId: string;
  /** The COSE key. */
  publicKey: string;
  /** SHA-256 of the relying party's id. Every assertion must contain the same hash. */
  rpIdHash: string;
  /** The origin of the registration. */
  origin: string;
  aaguid: string;
  /** AUTHENTICATOR_TRANSPORT_… */
  transports: string[];
  /** The format of the attestation statement: none, packed, … */
  attestationType: string;
  /** The model of authenticator that the AAGUID names; '' if it is unknown. */
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

/** The type of a key from a recovery mail. It can stamp only a recovery. */
export const RECOVERY_KEY = 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256';

/** The type of a key from a login mail. */
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

/** A passkey as a credential for stamps and votes. */
export function passkeyCredential(authenticator: Authenticator): Credential {
  const { organizationId, id, parentId, userId, name, publicKey, credentialId, createdAt, updatedAt } = authenticator;
  const own = { organizationId, id, parentId, userId, name, publicKey, credentialId, createdAt, updatedAt };
  return newCredential({ ...own, type: PASSKEY_TYPE });
}

/** The visible state of a user at one version of the row. */
export type UserVersion = {
  user: User;
  /** API keys, including those that logins made. */
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

export const apiKeyTypes: readonly string[] = Object.values(API_KEY_TYPES);

/** True for API keys, false for keys that logins made. */
export const isApiKeyType = (type: string): boolean => apiKeyTypes.includes(type);

/** The curve of a credential's stamps. Every flow that issues keys issues P-256 keys. */
export function stampCurve(credentialType: string): 'P256' | 'SECP256K1' | 'ED25519' {
  if (credentialType === 'CREDENTIAL_TYPE_API_KEY_SECP256K1') return 'SECP256K1';
  if (credentialType === 'CREDENTIAL_TYPE_API_KEY_ED25519') return 'ED25519';
  return 'P256';
}

export function isExpired(credential: Pick<Credential, 'expiresAt'>, now: number): boolean {
  return credential.expiresAt !== null && credential.expiresAt <= now;
}
