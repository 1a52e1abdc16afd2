import { z } from 'zod';
import { Id, IdOut, Label } from './common.ts';
import { OtpType } from './otp.ts';
import { Login } from './sessions.ts';
import { ClientSignature, RequiredToken, VerificationTokenText } from './tokens.ts';
import { RootUserParams, RootUserParamsV8 } from './users.ts';
import { WalletParams, WalletResult } from './wallets.ts';

/** What otp_init and otp_init_v2 of the auth proxy take. */
export const OtpRequest = z.object({
  otpType: OtpType,
  contact: z.string().min(1, 'must be an email address or a phone number').max(254),
  emailCustomization: z.object({ templateId: z.string().max(64).optional() }).optional(),
});

/** What otp_login and otp_login_v2 take. */
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
  /** A new sub-organization has no tags, so nothing comes of it. */
  userTag: z.string().max(255).optional(),
  organizationName: Name,
  apiKeys,
  authenticators,
  oauthProviders,
  wallet: WalletParams.optional(),
  verificationToken: VerificationTokenText.optional(),
  clientSignature: ClientSignature.optional(),
});

/** An account elsewhere may come as claims beside a token. */
export const SignUpRequestV2 = SignUpRequest.extend({ oauthProviders: RootUserParamsV8.shape.oauthProviders });

export const SignUpResult = z.object({ organizationId: IdOut, userId: IdOut, wallet: WalletResult.optional() });
