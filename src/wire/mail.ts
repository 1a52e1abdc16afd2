import { z } from 'zod';
import { EmailText } from './common.ts';

/** A text that is shown to a user. It has no control characters, and none that hide or reverse others. */
const SHOWN = /^(?:[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|\u200d)*$/u;

/** The name of an application, as its users read it. '' counts as absent where that is allowed. */
const Shown = z
  .string()
  .max(255, 'must have at most 255 characters')
  .regex(SHOWN, 'must not have control characters or invisible characters');

export const AppName = Shown.min(1, 'must not be empty');

/** A name in the form of an application's name, without the characters that such a name must not have. */
export const appNameFor = (name: string): string =>
  name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '').slice(0, 255) || 'this application';

const text = (most: number, problem = '') => z.string().max(most, `${problem}must have at most ${most} characters`).optional();

/** `src/domain/messages/messages.ts` checks the URL, the template and its variables. */
const style = {
  logoUrl: text(2048),
  magicLinkTemplate: text(2048, 'invalid magic link template: it '),
  templateVariables: text(16_384, 'failed to unmarshal template variables: they '),
  templateId: text(64, 'failed to get email template contents: an id '),
};

/** `emailCustomization` of older versions. */
export const EmailCustomizationParams = z.object({ appName: Shown.optional(), ...style });

/** For requests that have the application's name beside it. */
export const EmailCustomizationParamsV2 = z.object(style);

/** For EMAIL_AUTH_V3 and INIT_USER_EMAIL_RECOVERY_V2. */
export const EmailAuthCustomizationParams = z.object({ appName: AppName, ...style });

/** The same for an older version, in which the application need not be named: '' means the organization's name. */
export const named = <P extends { emailCustomization?: EmailCustomization | undefined }>({ emailCustomization, ...rest }: P) => ({
  ...rest,
  emailCustomization: { appName: '', ...emailCustomization },
});

export const SmsCustomizationParams = z.object({ template: z.string().optional() });

/** The three members that set the sender of a mail. */
export const senderParams = {
  sendFromEmailAddress: EmailText.optional(),
  sendFromEmailSenderName: Shown.optional(),
  replyToEmailAddress: EmailText.optional(),
};

export type EmailCustomization = z.output<typeof EmailCustomizationParams>;

export type SmsCustomization = z.output<typeof SmsCustomizationParams>;

export type SenderParams = {
  sendFromEmailAddress?: string | undefined;
  sendFromEmailSenderName?: string | undefined;
  replyToEmailAddress?: string | undefined;
};
