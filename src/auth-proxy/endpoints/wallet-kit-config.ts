import { z } from 'zod';
import { DEFAULT_LENGTH, featureOf } from '../../domain/otp/otp.ts';
import type { AuthMethod } from '../../model/auth-proxy.ts';
import { featureIsOn } from '../../model/organization.ts';
import { IdOut } from '../../wire/common.ts';
import { type ProxyContext, proxyEndpoint } from '../declare.ts';

/** Login methods that need no external account, by the published clients' names. */
const OWN_WAYS = ['email', 'sms', 'passkey', 'wallet'] as const;

/** Codes need a way to send them, and a feature. The other methods always work. */
function works(way: AuthMethod, { engine: { messages }, organization }: ProxyContext): boolean {
  if (way === 'email') return messages.mail.enabled && featureIsOn(organization, featureOf('OTP_TYPE_EMAIL'));
  if (way === 'sms') return messages.sms.enabled && featureIsOn(organization, featureOf('OTP_TYPE_SMS'));
  return true;
}

export const walletKitConfig = proxyEndpoint({
  path: '/v1/wallet_kit_config',
  summary: 'Read the login methods that a page offers',
  params: z.object({}),
  result: z.object({
    enabledProviders: z.array(z.string()),
    sessionExpirationSeconds: z.string(),
    organizationId: IdOut,
    oauthClientIds: z.record(z.string(), z.string()).optional(),
    oauthRedirectUrl: z.string().optional(),
    otpAlphanumeric: z.boolean(),
    otpLength: z.string(),
  }),
  bodyless: true,
  async run(ctx) {
    const { organization, config } = ctx;
    const { settings } = config;
    const { allowedAuthMethods, walletKitSettings, sessionExpirationSeconds, otpAlphanumeric, otpLength } = settings;
    const { enabledSocialProviders, oauthClientIds, oauthRedirectUrl } = walletKitSettings;
    const isAllowed = (way: AuthMethod) => allowedAuthMethods === null || allowedAuthMethods.includes(way);
    const ways: readonly AuthMethod[] = [...OWN_WAYS, ...enabledSocialProviders];
    return {
      enabledProviders: ways.filter((way) => isAllowed(way) && works(way, ctx)),
      sessionExpirationSeconds: String(sessionExpirationSeconds),
      organizationId: organization.id,
      ...(Object.keys(oauthClientIds).length > 0 && { oauthClientIds }),
      ...(oauthRedirectUrl !== '' && { oauthRedirectUrl }),
      otpAlphanumeric: otpAlphanumeric ?? true,
      otpLength: String(otpLength ?? DEFAULT_LENGTH),
    };
  },
});
