/** The methods for sign-up and login through the auth proxy, by their names on the wire. `oidc`: any other issuer. */
export const AUTH_METHODS = ['email', 'sms', 'passkey', 'wallet', 'google', 'apple', 'facebook', 'x', 'discord', 'oidc'] as const;

export type AuthMethod = (typeof AUTH_METHODS)[number];

/** The methods with a named provider of accounts. */
export const SOCIAL_PROVIDERS = ['google', 'apple', 'facebook', 'x', 'discord'] as const satisfies readonly AuthMethod[];

export type SocialProvider = (typeof SOCIAL_PROVIDERS)[number];

/** Allows every origin to call the proxy. */
export const ANY_ORIGIN = '*';

/** The appearance of mails. '' in a member: not set. */
export type ProxyMailStyle = {
  appName: string;
  logoUrl: string;
  magicLinkTemplate: string;
  /** JSON of an object with text values. */
  templateVariables: string;
  templateId: string;
};

/** Settings of an administrator. '' in a text: not set. Null: the service's default. */
export type AuthProxySettings = {
  /** Origins in the form that browsers send, or `*` alone. */
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
  /** If true, a look-up of a user by a contact needs a verification token for that contact. */
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

/** The auth proxy of a top-level organization. The row and its id stay while the proxy is off, because applications have the id built in. */
export type AuthProxyConfig = {
  organizationId: string;
  id: string;
  /** The proxy's API key, with its sealed private key. All are null while the proxy is off. */
  keyId: string | null;
  publicKey: string | null;
  sealedKey: Buffer | null;
  settings: AuthProxySettings;
  createdAt: number;
  updatedAt: number;
};

/** A new configuration, with the proxy off. */
export function newAuthProxyConfig(given: Pick<AuthProxyConfig, 'organizationId' | 'id' | 'createdAt'>): AuthProxyConfig {
  const off = { keyId: null, publicKey: null, sealedKey: null };
  return { ...off, settings: DEFAULT_SETTINGS, updatedAt: given.createdAt, ...given };
}

/** Whether the user is the one for requests of its organization's auth proxy. */
export const isProxy = ({
  organization,
  user,
}: {
  organization: { proxyUserId: string | null };
  user: { id: string };
}): boolean => user.id === organization.proxyUserId;

/** The activities that the proxy's user may submit: only those for logins and sign-ups. */
export const PROXY_KINDS: readonly string[] = [
  'INIT_OTP',
  'VERIFY_OTP',
  'OTP_LOGIN',
  'OAUTH_LOGIN',
  'OAUTH2_AUTHENTICATE',
  'CREATE_SUB_ORGANIZATION',
  // For social linking only.
  'CREATE_OAUTH_PROVIDERS',
];
