import { z } from 'zod';
import { Id, IdOut, Label } from './common.ts';
import { Contact, OtpType } from './otp.ts';
import { Login } from './sessions.ts';
import { ClientSignature, RequiredToken, VerificationTokenText } from './tokens.ts';
import { RootUserParams, RootUserParamsV8 } from './users.ts';
import { WalletParams, WalletResult } from './wallets.ts';

/** The request of otp_init and otp_init_v2 of the auth proxy. */
export const OtpRequest = z.object({
  otpType: OtpType,
  contact: Contact,
  emailCustomization: z.object({ templateId: z.string().max(64).optional() }).optional(),
});

/** The request of otp_login and otp_login_v2. */
export const OtpLoginRequest = Login.pick({ publicKey: true, invalidateExisting: true }).extend({
  verificationToken: RequiredToken,
  organizationId: Id.optional(),
  clientSignature: ClientSignature,
});

const { apiKeys, authenticators, oauthProviders, userEmail, userPhoneNumber } = RootUserParams.shape;

/** '' counts as absent. */
const Name = z
  .union([z.literal(''), Label])
  .transform((text) => (text === '' ? undefined : text))
  .optional();

export const SignUpRequest = z.object({
  userName: Name,
  userEmail,
  userPhoneNumber,
  /** A new sub-organization has no tags, so this has no effect. */
  userTag: z.string().max(255).optional(),
  organizationName: Name,
  apiKeys,
  authenticators,
  oauthProviders,
  wallet: WalletParams.optional(),
  verificationToken: VerificationTokenText.optional(),
  clientSignature: ClientSignature.optional(),
});

/** An external account may be sent as claims beside a token. */
export const SignUpRequestV2 = SignUpRequest.extend({ oauthProviders: RootUserParamsV8.shape.oauthProviders });

export const SignUpResult = z.object({ organizationId: IdOut, userId: IdOut, wallet: WalletResult.optional() });
