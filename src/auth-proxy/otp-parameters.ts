import { appNameFor } from '../wire/mail.ts';
import type { ProxyContext } from './declare.ts';

type Wish = { otpType: string; contact: string; emailCustomization?: { templateId?: string | undefined } | undefined };

/** Without unset members. */
const given = (all: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== null && value !== ''));

/** The parameters of INIT_OTP, of its second version and later, as the configuration sets them. */
export function otpParameters(
  { organization, config: { settings } }: Pick<ProxyContext, 'organization' | 'config'>,
  { otpType, contact, emailCustomization }: Wish,
): object {
  const { appName, templateId, ...style } = settings.emailCustomizationParams;
  const { otpLength, otpAlphanumeric: alphanumeric, otpExpirationSeconds: seconds } = settings;
  const { sendFromEmailAddress, sendFromEmailSenderName, replyToEmailAddress } = settings;
  const template = [emailCustomization?.templateId, templateId, settings.emailAuthTemplateId, settings.otpTemplateId].find(
    Boolean,
  );
  const form = { otpLength, alphanumeric, expirationSeconds: seconds === null ? undefined : String(seconds) };
  const shown = given({ otpType, contact, appName: appName || appNameFor(organization.name), ...form });
  if (otpType !== 'OTP_TYPE_EMAIL') return { ...shown, smsCustomization: given(settings.smsCustomizationParams) };
  const sender = given({ sendFromEmailAddress, sendFromEmailSenderName, replyToEmailAddress });
  return { ...shown, ...sender, emailCustomization: given({ ...style, templateId: template }) };
}

/** How long a verification token is valid, if the configuration sets it. */
export function tokenSeconds({ config }: Pick<ProxyContext, 'config'>): { expirationSeconds?: string } {
  const { verificationTokenExpirationSeconds: seconds } = config.settings;
  return seconds === null ? {} : { expirationSeconds: String(seconds) };
}
