import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import type { AuthProxyConfig } from '../model/auth-proxy.ts';
import type { Organization } from '../model/organization.ts';
import { IdOut, Timestamp } from './common.ts';

const texts = z.array(z.string());
const seconds = z.int().optional();

/** Settings by their names in UPDATE_AUTH_PROXY_CONFIG. Unset ones are absent. */
export const AuthProxyConfigOut = z.object({
  configId: IdOut,
  organizationId: IdOut,
  enabled: z.boolean(),
  /** Present while the proxy is on. */
  userId: IdOut.optional(),
  allowedOrigins: texts,
  /** Absent: all. */
  allowedAuthMethods: texts.optional(),
  sendFromEmailAddress: z.string().optional(),
  sendFromEmailSenderName: z.string().optional(),
  replyToEmailAddress: z.string().optional(),
  emailAuthTemplateId: z.string().optional(),
  otpTemplateId: z.string().optional(),
  emailCustomizationParams: z.object({
    appName: z.string().optional(),
    logoUrl: z.string().optional(),
    magicLinkTemplate: z.string().optional(),
    templateVariables: z.string().optional(),
    templateId: z.string().optional(),
  }),
  smsCustomizationParams: z.object({ template: z.string().optional() }),
  walletKitSettings: z.object({
    enabledSocialProviders: texts,
    oauthClientIds: z.record(z.string(), z.string()),
    oauthRedirectUrl: z.string().optional(),
  }),
  otpExpirationSeconds: seconds,
  verificationTokenExpirationSeconds: seconds,
  sessionExpirationSeconds: z.int(),
  otpAlphanumeric: z.boolean().optional(),
  otpLength: z.int().optional(),
  verificationTokenRequiredForGetAccountPii: z.boolean(),
  socialLinkingClientIds: texts,
  captchaEnabled: z.boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

/** Without unset members. */
const set = <T extends object>(all: T): T =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== '')) as T;

export function viewAuthProxyConfig(
  { proxyUserId }: Pick<Organization, 'proxyUserId'>,
  { id, organizationId, settings, createdAt, updatedAt }: AuthProxyConfig,
): z.output<typeof AuthProxyConfigOut> {
  const { emailCustomizationParams, smsCustomizationParams, walletKitSettings } = settings;
  return set({
    configId: id,
    organizationId,
    enabled: proxyUserId !== null,
    userId: proxyUserId,
    ...settings,
    emailCustomizationParams: set(emailCustomizationParams),
    smsCustomizationParams: set(smsCustomizationParams),
    walletKitSettings: set(walletKitSettings),
    createdAt: wireTimestamp(createdAt),
    updatedAt: wireTimestamp(updatedAt),
  }) as z.output<typeof AuthProxyConfigOut>;
}
