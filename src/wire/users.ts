import { z } from 'zod';
import { Email, Id, IdOut, Label, notYet, PhoneNumber, Timestamp } from './common.ts';
import { ApiKeyParams, ApiKeyParamsV2, Credential, MANY_API_KEYS } from './credentials.ts';
import { AccessType } from './enums.ts';

const authenticators = notYet('authenticators');
const oauthProviders = notYet('oauthProviders');
const userTags = z.array(Id).max(100);
const apiKeysV1 = z.array(ApiKeyParams).max(MANY_API_KEYS);
const apiKeys = z.array(ApiKeyParamsV2).max(MANY_API_KEYS);

export const UserParams = z.object({
  userName: Label,
  userEmail: Email.optional(),
  accessType: AccessType,
  apiKeys: apiKeysV1,
  authenticators,
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
  oauthProviders,
  userTags,
});

/** V4 lets an OAuth provider come as claims; the rest is V3. */
export const UserParamsV4 = UserParamsV3;

export const RootUserParams = z.object({
  userName: Label,
  userEmail: Email.optional(),
  userPhoneNumber: PhoneNumber.optional(),
  apiKeys,
  authenticators,
  oauthProviders,
});

export type NewUser = z.output<typeof RootUserParams> & { userTags?: string[] };

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
  authenticators: z.array(z.never()),
  apiKeys: z.array(ApiKey),
  userTags: z.array(z.string()),
  oauthProviders: z.array(z.never()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  mfaPolicies: z.array(z.never()),
});
