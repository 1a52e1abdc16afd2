/** What the endpoints read of an organization's configuration. */
export type ProxyConfig = {
  organizationId: string;
  id: string;
  settings: {
    allowedOrigins: readonly string[];
    allowedAuthMethods: readonly string[] | null;
    walletKitSettings: {
      enabledSocialProviders: readonly string[];
      oauthClientIds: Readonly<Record<string, string>>;
      oauthRedirectUrl: string;
    };
    sessionExpirationSeconds: number;
    otpAlphanumeric: boolean | null;
    otpLength: number | null;
    verificationTokenRequiredForGetAccountPii: boolean;
    socialLinkingClientIds: readonly string[];
    captchaEnabled: boolean;
  };
};
