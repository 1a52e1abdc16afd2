import { z } from 'zod';
import { RootUserParamsV8 } from './users.ts';

/** For requests that require a token. */
export const RequiredToken = z.string().min(1, 'must be the verification token of VERIFY_OTP').max(8192);

/** '' counts as absent. */
export const VerificationTokenText = z
  .string()
  .max(8192)
  .transform((text) => (text === '' ? undefined : text));

export const ClientSignature = z.object({
  publicKey: z.string().max(130),
  scheme: z.enum(['CLIENT_SIGNATURE_SCHEME_API_P256'], { error: 'must be CLIENT_SIGNATURE_SCHEME_API_P256' }),
  message: z.string().max(524_288),
  signature: z.string().max(144),
});

const { apiKeys, authenticators, oauthProviders } = RootUserParamsV8.shape;

/** The data of a new user that a client signs at a sign-up. Empty lists may be left out. */
export const SignUpUsage = z.strictObject({
  apiKeys: apiKeys.default([]),
  authenticators: authenticators.default([]),
  oauthProviders: oauthProviders.default([]),
  email: z.string().default(''),
  phoneNumber: z.string().default(''),
});
