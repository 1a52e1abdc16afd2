import { z } from 'zod';
import { DEFAULT_LENGTH } from '../../domain/otp.ts';
import { IdOut } from '../../wire/common.ts';
import { proxyEndpoint } from '../declare.ts';

/** Ways in that need no account elsewhere, in the words of the published clients. */
const OWN_WAYS = ['email', 'sms', 'passkey', 'wallet'];

export const walletKitConfig = proxyEndpoint({
  path: '/v1/wallet_kit_config',
  summary: 'Read what a page offers to people who sign up or log in',
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
  async run({ organization, config: { settings } }) {
    const { allowedAuthMethods, walletKitSettings, sessionExpirationSeconds, otpAlphanumeric, otpLength } = settings;
    const { enabledSocialProviders, oauthClientIds, oauthRedirectUrl } = walletKitSettings;
    const ways = [...OWN_WAYS, ...enabledSocialProviders];
    return {
      enabledProviders: allowedAuthMethods === null ? ways : ways.filter((way) => allowedAuthMethods.includes(way)),
      sessionExpirationSeconds: String(sessionExpirationSeconds),
      organizationId: organization.id,
      ...(Object.keys(oauthClientIds).length > 0 && { oauthClientIds }),
      ...(oauthRedirectUrl !== '' && { oauthRedirectUrl }),
      otpAlphanumeric: otpAlphanumeric ?? true,
      otpLength: String(otpLength ?? DEFAULT_LENGTH),
    };
  },
});
