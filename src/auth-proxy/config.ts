/** What the endpoints read of an organization's configuration. Names and forms are those of UPDATE_AUTH_PROXY_CONFIG; defaults are in place. */
export type ProxyConfig = {
  id: string;
  organizationId: string;
  /** Exact origins, or `*` alone. */
  allowedOrigins: readonly string[];
  allowedAuthMethods: readonly string[];
  sendFromEmailAddress?: string | undefined;
  sendFromEmailSenderName?: string | undefined;
  replyToEmailAddress?: string | undefined;
  emailAuthTemplateId?: string | undefined;
  otpTemplateId?: string | undefined;
  emailCustomizationParams?: object | undefined;
  smsCustomizationParams?: { template?: string | undefined } | undefined;
  walletKitSettings?:
    | {
        enabledSocialProviders?: readonly string[] | undefined;
        oauthClientIds?: Readonly<Record<string, string>> | undefined;
        oauthRedirectUrl?: string | undefined;
      }
    | undefined;
  /** Seconds. */
  otpExpirationSeconds: number;
  verificationTokenExpirationSeconds: number;
  sessionExpirationSeconds: number;
  otpAlphanumeric: boolean;
  otpLength: number;
  verificationTokenRequiredForGetAccountPii: boolean;
  socialLinkingClientIds: readonly string[];
  captchaEnabled: boolean;
};
