import { z } from 'zod';
import { Id } from './common.ts';
import {
  AppName,
  type EmailCustomization,
  EmailCustomizationParams,
  EmailCustomizationParamsV2,
  SmsCustomizationParams,
  senderParams,
} from './mail.ts';

const TYPES = ['OTP_TYPE_EMAIL', 'OTP_TYPE_SMS'] as const;

/** Seconds as a text, at most `most`. */
const seconds = (most: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,9}$/, `must be a whole number of seconds from 1 to ${most}, as a string`)
    .refine((text) => Number(text) <= most, `must be at most ${most} seconds`);

export const OtpType = z.enum(TYPES, { error: `must be ${TYPES.join(' or ')}: this service does not send by WhatsApp` });

export const Contact = z.string().min(1, 'must be an email address or a phone number').max(254);

const about = {
  otpType: OtpType,
  contact: Contact,
  smsCustomization: SmsCustomizationParams.optional(),
  userIdentifier: z.string().max(1024).optional(),
  ...senderParams,
};

const form = { otpLength: z.int().min(6).max(9).optional(), alphanumeric: z.boolean().optional() };

const life = { expirationSeconds: seconds(600).optional() };

const styled = { appName: AppName, emailCustomization: EmailCustomizationParamsV2.optional() };

/** For versions that have the application's name in `emailCustomization`. */
const styledV1 = { emailCustomization: EmailCustomizationParams.optional() };

export const InitOtpParamsV1 = z.object({ ...about, ...form, ...life, ...styledV1 });
export const InitOtpAuthParamsV1 = z.object({ ...about, ...styledV1 });
export const InitOtpAuthParamsV2 = z.object({ ...about, ...form, ...styledV1 });

/** For the newest versions of INIT_OTP and INIT_OTP_AUTH. */
export const InitOtpParams = z.object({ ...about, ...form, ...life, ...styled });

/** The members that all versions have. */
export type Initiation = z.output<typeof InitOtpParams>;

/** The same with the application's name beside `emailCustomization`. '' if it was not given. */
export function withAppName<P extends { emailCustomization?: EmailCustomization | undefined }>({
  emailCustomization,
  ...rest
}: P) {
  const { appName = '', ...style } = emailCustomization ?? {};
  return { ...rest, appName, ...(emailCustomization && { emailCustomization: style }) };
}

export const OtpId = Id;

export const OtpCode = z.string().min(1, 'must be the code that was sent').max(64);

/** The key that a verification token is bound to. '' counts as absent. */
export const BoundKey = z
  .string()
  .max(130)
  .transform((key) => (key === '' ? undefined : key));

/** A code that the client sealed. */
export const SealedGuessText = z.string().min(1, 'must be the JSON text that the client sealed').max(16_384);

/** How long a verification token is valid. */
export const TokenSeconds = seconds(86_400);
