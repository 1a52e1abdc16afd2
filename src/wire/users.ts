import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import type { Credential as CredentialModel, UserVersion } from '../model/user.ts';
import {
  Authenticator,
  AuthenticatorParams,
  AuthenticatorParamsV2,
  MANY_AUTHENTICATORS,
  viewAuthenticator,
} from './authenticators.ts';
import { Email, Id, IdOut, Label, PhoneNumber, Timestamp } from './common.ts';
import { ApiKeyParams, ApiKeyParamsV2, Credential, MANY_API_KEYS } from './credentials.ts';
import { AccessType } from './enums.ts';
import { MfaPolicy, viewMfaPolicy } from './mfa-policies.ts';
import {
  MANY_OAUTH_PROVIDERS,
  OauthProvider,
  OauthProviderParams,
  OauthProviderParamsV2,
  viewOauthProvider,
} from './oauth-providers.ts';

const oauthProvidersV1 = z.array(OauthProviderParams).max(MANY_OAUTH_PROVIDERS);
const oauthProviders = z.array(OauthProviderParamsV2).max(MANY_OAUTH_PROVIDERS);
const userTags = z.array(Id).max(100);
const apiKeysV1 = z.array(ApiKeyParams).max(MANY_API_KEYS);
const apiKeys = z.array(ApiKeyParamsV2).max(MANY_API_KEYS);
const authenticatorsV1 = z.array(AuthenticatorParams).max(MANY_AUTHENTICATORS);
const authenticators = z.array(AuthenticatorParamsV2).max(MANY_AUTHENTICATORS);

export const UserParams = z.object({
  userName: Label,
  userEmail: Email.optional(),
  accessType: AccessType,
  apiKeys: apiKeysV1,
  authenticators: authenticatorsV1,
  userTags,
});

export const UserParamsV2 = z.object({
  userName: Label,
  userEmail: Email.optional(),
  apiKeys: apiKeysV1,
  authenticators,
  userTags,
});

export const UserParamsV3 = z.object({
  userName: Label,
  userEmail: Email.optional(),
  userPhoneNumber: PhoneNumber.optional(),
  apiKeys,
  authenticators,
  oauthProviders: oauthProvidersV1,
  userTags,
});

/** V4 accepts an OAuth provider as claims; the rest is V3. */
export const UserParamsV4 = UserParamsV3.extend({ oauthProviders });

/** The root user of version 2 of CREATE_SUB_ORGANIZATION. */
export const RootUserParamsV1 = z.object({
  userName: Label,
  userEmail: Email.optional(),
  apiKeys: apiKeysV1,
  authenticators,
});

export const RootUserParamsV2 = z.object({
  userName: Label,
  userEmail: Email.optional(),
  apiKeys: apiKeysV1,
  authenticators,
  oauthProviders: oauthProvidersV1,
});

export const RootUserParamsV3 = z.object({
  userName: Label,
  userEmail: Email.optional(),
  apiKeys,
  authenticators,
  oauthProviders: oauthProvidersV1,
});
/** The earlier form of a user that has only API keys. */
export const ApiOnlyUserParams = z.object({ userName: Label, userEmail: Email.optional(), userTags, apiKeys: apiKeysV1 });

export const RootUserParams = z.object({
  userName: Label,
  userEmail: Email.optional(),
  userPhoneNumber: PhoneNumber.optional(),
  apiKeys,
  authenticators,
  oauthProviders: oauthProvidersV1,
});

/** For V8, which accepts an OAuth provider as claims. */
export const RootUserParamsV8 = RootUserParams.extend({ oauthProviders });

export type NewUser = z.output<typeof RootUserParamsV8> & { userTags?: string[] };

export const ApiKey = z.object({
  credential: Credential,
  apiKeyId: IdOut,
  apiKeyName: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  expirationSeconds: z.string().optional(),
});

export const User = z.object({
  userId: IdOut,
  userName: z.string(),
  userEmail: z.string().optional(),
  userPhoneNumber: z.string().optional(),
  authenticators: z.array(Authenticator),
  apiKeys: z.array(ApiKey),
  userTags: z.array(z.string()),
  oauthProviders: z.array(OauthProvider),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  mfaPolicies: z.array(MfaPolicy),
});

export function viewApiKey(c: CredentialModel): z.output<typeof ApiKey> {
  return {
    credential: {
      publicKey: c.publicKey,
      type: c.type,
      ...(c.sessionProfileId ? { sessionProfileId: c.sessionProfileId } : {}),
    },
    apiKeyId: c.id,
    apiKeyName: c.name,
    createdAt: wireTimestamp(c.createdAt),
    updatedAt: wireTimestamp(c.updatedAt),
    ...(c.expirationSeconds === null ? {} : { expirationSeconds: String(c.expirationSeconds) }),
  };
}

export function viewUser({
  user,
  credentials,
  authenticators,
  oauthProviders,
  mfaPolicies,
  tags,
}: UserVersion): z.output<typeof User> {
  return {
    userId: user.id,
    userName: user.name,
    ...(user.email === null ? {} : { userEmail: user.email }),
    ...(user.phone === null ? {} : { userPhoneNumber: user.phone }),
    authenticators: authenticators.map(viewAuthenticator),
    apiKeys: credentials.map(viewApiKey),
    userTags: [...tags],
    oauthProviders: oauthProviders.map(viewOauthProvider),
    createdAt: wireTimestamp(user.createdAt),
    updatedAt: wireTimestamp(user.updatedAt),
    mfaPolicies: mfaPolicies.map(viewMfaPolicy),
  };
}

/** The view of a voter who was deleted before versions were kept. */
export function viewDeletedUser(id: string): z.output<typeof User> {
  const never = wireTimestamp(0);
  return {
    userId: id,
    userName: '',
    authenticators: [],
    apiKeys: [],
    userTags: [],
    oauthProviders: [],
    createdAt: never,
    updatedAt: never,
    mfaPolicies: [],
  };
}
