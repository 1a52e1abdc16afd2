import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const authProxy: Samples = {
  DISABLE_AUTH_PROXY: () => ({}),
  ENABLE_AUTH_PROXY: () => ({}),
  UPDATE_AUTH_PROXY_CONFIG: () => ({
    allowedOrigins: ['https://app.example.com'],
    allowedAuthMethods: ['email', 'passkey'],
    emailCustomizationParams: { appName: 'Sample' },
    smsCustomizationParams: { template: 'Your code is {{.OtpCode}}' },
    walletKitSettings: { enabledSocialProviders: ['google'], oauthClientIds: { google: 'a client' } },
    otpLength: 6,
    otpAlphanumeric: false,
    sessionExpirationSeconds: 3600,
    socialLinkingClientIds: ['a client'],
  }),
};
