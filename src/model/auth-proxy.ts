/** How people may sign up and log in through the auth proxy, as the wire names it. `oidc`: any other issuer. */
export const AUTH_METHODS = ['email', 'sms', 'passkey', 'wallet', 'google', 'apple', 'facebook', 'x', 'discord', 'oidc'] as const;

export type AuthMethod = (typeof AUTH_METHODS)[number];

/** Those of the methods that are accounts elsewhere with a name of their own. */
export const SOCIAL_PROVIDERS = ['google', 'apple', 'facebook', 'x', 'discord'] as const satisfies readonly AuthMethod[];

export type SocialProvider = (typeof SOCIAL_PROVIDERS)[number];

/** Every origin may call the proxy. */
export const ANY_ORIGIN = '*';

/** What mails look like; '' where nothing is said. */
export type ProxyMailStyle = {
  appName: string;
  logoUrl: string;
  magicLinkTemplate: string;
  /** JSON of an object of texts. */
  templateVariables: string;
  templateId: string;
};

/** What an administrator sets. A text that is '' is not set; null stands for what the service does by itself. */
export type AuthProxySettings = {
  /** Origins as browsers send them, or `*` alone. */
  allowedOrigins: readonly string[];
  /** Null: all. */
  allowedAuthMethods: readonly AuthMethod[] | null;
  sendFromEmailAddress: string;
  sendFromEmailSenderName: string;
  replyToEmailAddress: string;
  emailAuthTemplateId: string;
  otpTemplateId: string;
  emailCustomizationParams: Partial<ProxyMailStyle>;
  smsCustomizationParams: { template: string };
  walletKitSettings: {
    enabledSocialProviders: readonly SocialProvider[];
    oauthClientIds: Readonly<Record<string, string>>;
    oauthRedirectUrl: string;
  };
  otpExpirationSeconds: number | null;
  verificationTokenExpirationSeconds: number | null;
  sessionExpirationSeconds: number;
  otpAlphanumeric: boolean | null;
  otpLength: number | null;
  /** Who looks somebody up by a contact must show that they have it. */
  verificationTokenRequiredForGetAccountPii: boolean;
  /** Audiences whose Google tokens may be added to a user with the same email. */
  socialLinkingClientIds: readonly string[];
  captchaEnabled: boolean;
};

export const DEFAULT_SETTINGS: AuthProxySettings = {
  allowedOrigins: [ANY_ORIGIN],
  allowedAuthMethods: null,
  sendFromEmailAddress: '',
  sendFromEmailSenderName: '',
  replyToEmailAddress: '',
  emailAuthTemplateId: '',
  otpTemplateId: '',
  emailCustomizationParams: {},
  smsCustomizationParams: { template: '' },
  walletKitSettings: { enabledSocialProviders: [], oauthClientIds: {}, oauthRedirectUrl: '' },
  otpExpirationSeconds: null,
  verificationTokenExpirationSeconds: null,
  sessionExpirationSeconds: 900,
  otpAlphanumeric: null,
  otpLength: null,
  verificationTokenRequiredForGetAccountPii: false,
  socialLinkingClientIds: [],
  captchaEnabled: false,
};

/** The auth proxy of a top-level organization. It stays, with its id, while the proxy is off: applications have the id built in. */
export type AuthProxyConfig = {
  organizationId: string;
  id: string;
  /** The proxy's API key, whose private key is sealed here. All null while the proxy is off. */
  keyId: string | null;
  publicKey: string | null;
  sealedKey: Buffer | null;
  settings: AuthProxySettings;
  createdAt: number;
  updatedAt: number;
};

/** A configuration as it is first made, with the proxy off. */
export function newAuthProxyConfig(given: Pick<AuthProxyConfig, 'organizationId' | 'id' | 'createdAt'>): AuthProxyConfig {
  const off = { keyId: null, publicKey: null, sealedKey: null };
  return { ...off, settings: DEFAULT_SETTINGS, updatedAt: given.createdAt, ...given };
}

/** What the proxy's user may submit: what logins and sign-ups are made of, and nothing else. */
export const PROXY_KINDS: readonly string[] = [
  'INIT_OTP',
  'VERIFY_OTP',
  'OTP_LOGIN',
  'OAUTH_LOGIN',
  'OAUTH2_AUTHENTICATE',
  'CREATE_SUB_ORGANIZATION',
  // Social linking alone.
  'CREATE_OAUTH_PROVIDERS',
];
