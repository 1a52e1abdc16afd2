import { FIRST_TEN } from './pages.ts';
import type { Tables } from './types.ts';

const LOGO = 'An https address of a picture at the head of the mail, at most 2048 characters.';
const MAGIC = 'The link in the mail: a URL with one `%s` after its host, where the code or bundle goes.';
const VARIABLES = 'JSON text of an object with at most 100 texts, numbers or booleans for the template’s variables.';
const TEMPLATE_ID = 'The UUID of the organization’s mail template. Default: its newest one that fits, or else the built-in mail.';
const SMS = 'The text of the message with `{{ .OtpCode }}` for the code, at most 1600 characters. Default: the built-in text.';
const TOKEN_KEY =
  'A P-256 public key in hex, which must sign each use of the token. Absent or empty: the token is bound to none.';
const TOKEN = 'A signed token that proves a verified contact, from VERIFY_OTP.';
const SESSION_KEY = 'The client’s P-256 public key in hex. Its stamps count as the user’s until the session ends.';
const LIFE = 'How long the key is valid, in seconds as a text. Default: the session profile’s maximum, else `900`.';
const MAIL = { logoUrl: LOGO, magicLinkTemplate: MAGIC, templateVariables: VARIABLES, templateId: TEMPLATE_ID };
const SECONDS = 'How long sessions last, in seconds: 1 to 31536000. Default 900.';
const CODE_LIFE = 'How long the code is valid, in seconds as a text, at most `600`. Default `300`.';
const LENGTH = 'How many characters a code has: 6 to 9. Default 9.';
const ALSO_SIGNED = 'The signature that proves that the sender holds the token’s key.';
const ID_TOKEN = 'The OpenID token of the person. Its nonce is lower-case hex of SHA-256 of the public key as text.';

export const loginFields: Tables = {
  EmailCustomizationParams: {
    appName: 'The name of the application, as its users read it in the mail. Absent: the top-level organization’s.',
    ...MAIL,
  },
  EmailAuthCustomizationParams: {
    appName: 'The name of the application, as its users read it in the mail. It is required.',
    ...MAIL,
  },
  EmailCustomizationParamsV2: MAIL,
  emailCustomizationParams: { appName: 'The name of the application, as its users read it in mails.', ...MAIL },
  emailCustomization: { templateId: TEMPLATE_ID },
  SmsCustomizationParams: { template: SMS },
  smsCustomizationParams: { template: SMS },
  InitOtpParams: {
    appName: 'The name of the application, as its users read it in the message.',
    expirationSeconds: CODE_LIFE,
    otpLength: LENGTH,
    emailCustomization: 'How the mail looks. Absent: the organization’s newest template that fits, or else the built-in mail.',
    smsCustomization: 'The text of the message. Absent: the built-in text.',
  },
  InitOtpAuthParams: {
    otpLength: LENGTH,
    emailCustomization: 'How the mail looks. Absent: the organization’s newest template that fits, or else the built-in mail.',
    smsCustomization: 'The text of the message. Absent: the built-in text.',
  },
  OtpRequest: { emailCustomization: 'How the mail looks, beside the proxy’s settings.' },
  VerifyOtpIntent: {
    expirationSeconds: 'How long the token is valid, in seconds as a text, at most `86400`. Default `3600`.',
    publicKey: TOKEN_KEY,
  },
  VerifyOtpResult: { verificationToken: TOKEN },
  OtpVerifyProxyRequest: { publicKey: TOKEN_KEY },
  OtpVerifyProxyResponse: { verificationToken: TOKEN },
  OtpVerifyV2ProxyResponse: { verificationToken: TOKEN },
  OtpLoginIntent: {
    verificationToken: 'The token of VERIFY_OTP that names the user’s contact. It works once for a login.',
    publicKey: SESSION_KEY,
    expirationSeconds: LIFE,
    clientSignature: ALSO_SIGNED,
  },
  OtpLoginProxyRequest: {
    verificationToken: 'The token of `otp_verify` that names the user’s contact. It works once for a login.',
    publicKey: SESSION_KEY,
    organizationId: 'The UUID of the user’s sub-organization. Absent: the oldest one whose user verified the contact.',
    clientSignature: ALSO_SIGNED,
  },
  OtpLoginRequest: {
    verificationToken: 'The token of `otp_verify` that names the user’s contact. It works once for a login.',
    publicKey: SESSION_KEY,
    organizationId: 'The UUID of the user’s sub-organization. Absent: the oldest one whose user verified the contact.',
    clientSignature: ALSO_SIGNED,
  },
  Login: { publicKey: SESSION_KEY, expirationSeconds: LIFE },
  OauthLoginIntent: { publicKey: SESSION_KEY, expirationSeconds: LIFE, oidcToken: ID_TOKEN },
  OauthLoginProxyRequest: {
    publicKey: SESSION_KEY,
    oidcToken: ID_TOKEN,
    organizationId: 'The UUID of the user’s sub-organization. Absent: it is found by the token.',
  },
  OauthIntent: { expirationSeconds: LIFE, oidcToken: ID_TOKEN },
  OtpAuthIntent: { expirationSeconds: LIFE },
  EmailAuthIntent: {
    expirationSeconds: LIFE,
    email: 'The address of the user who logs in. The key is mailed to it, sealed.',
    emailCustomization: 'How the mail looks. Absent: the organization’s newest template that fits, or else the built-in mail.',
  },
  InitUserEmailRecoveryIntent: {
    expirationSeconds: LIFE,
    email: 'The address of the user who lost their credentials. A recovery key is mailed to it, sealed.',
    emailCustomization: 'How the mail looks. Absent: the organization’s newest template that fits, or else the built-in mail.',
  },
  CreateReadWriteSessionIntent: {
    expirationSeconds: LIFE,
    email: 'The address of the user whose session it is.',
    userId: 'The UUID of the user whose session it is. Absent: the user who stamps.',
  },
  ClientSignature: {
    publicKey: 'The P-256 key that the token is bound to, in hex.',
    scheme: 'The algorithm. The only one is ECDSA on P-256.',
    message: 'The JSON text that was signed: the token’s id and what it is used for.',
    signature: 'In hex, over SHA-256 of `message`: r and s (128 digits), or DER.',
  },
  SignUpRequest: {
    organizationName: 'A label of the person’s new sub-organization. Absent or empty: `sub-org-` and the time.',
    userName: 'What people read as the person’s name. Absent or empty: the email address, or `user-` and the time.',
    apiKeys: 'Public keys of the person’s first API keys.',
    authenticators: 'The person’s first passkeys.',
    oauthProviders: 'Accounts elsewhere by which the person logs in.',
    verificationToken: 'Proves the given email address or phone number.',
    wallet: 'A first wallet for the person. Absent: none.',
    clientSignature: ALSO_SIGNED,
  },
  SignUpResult: {
    organizationId: 'The UUID of the person’s new sub-organization.',
    userId: 'The UUID of the person, who is its root user.',
    wallet: 'The first wallet, if one was asked for.',
  },
  AccountProxyRequest: {
    filterType: 'What `filterValue` is, such as an email address or the text of an OpenID token.',
    filterValue:
      'The exact value that the account has: a token of at most 16384 characters, others of 1024. Only verified contacts match.',
    verificationToken: 'Proves the contact, where the configuration requires it.',
    oidcToken: 'Proves the claims that are looked for.',
  },
  AccountProxyResponse: { organizationId: 'The UUID of the person’s oldest sub-organization. Absent if there is none.' },
  Oauth2AuthenticateParams: {
    nonce: 'A text that the new token repeats: lower-case hex of SHA-256 of the client’s public key as text.',
  },
  Oauth2AuthenticateProxyRequest: {
    nonce: 'A text that the new token repeats: lower-case hex of SHA-256 of the client’s public key as text.',
    provider: 'The provider that sent the code.',
  },
  Oauth2AuthenticateResult: {
    oidcToken: 'An OpenID token of this service that names the person’s account at the provider, valid for ten minutes.',
  },
  Oauth2AuthenticateProxyResponse: {
    oidcToken: 'An OpenID token of this service that names the person’s account at the provider, valid for ten minutes.',
  },
  Oauth2CredentialParams: { provider: 'Which provider the application is registered at: X or Discord.' },
  UpdateOauth2CredentialIntent: { provider: 'Which provider the application is registered at: X or Discord.' },
  Oauth2Credential: { provider: 'Which provider the application is registered at: X or Discord.' },
  GetOauth2CredentialResponse: { oauth2Credential: 'The wanted application; its secret stays sealed.' },
  ListOauth2CredentialsResponse: { oauth2Credentials: 'Stored applications, oldest first; their secrets stay sealed.' },
  WalletKitConfigProxyResponse: {
    enabledProviders: 'Logins that are allowed and work, such as `email`, `passkey` or `google`.',
    sessionExpirationSeconds: 'How long sessions last, in seconds as a text.',
    otpLength: 'How many characters a code has, as a text.',
    organizationId: 'The UUID of the application’s organization.',
  },
  AuthProxyParams: {
    allowedOrigins: 'Origins of pages that may call, such as `https://app.example.com`, at most 100; or `*` alone, the default.',
    emailCustomizationParams: 'How mails look. A given object replaces the earlier one.',
    smsCustomizationParams: 'What text messages with codes say. A given object replaces the earlier one.',
    walletKitSettings: 'What login pages show. A given object replaces the earlier one.',
    otpLength: LENGTH,
    sessionExpirationSeconds: SECONDS,
    allowedAuthMethods: 'Logins that pages may use, such as `email` or `passkey`. Absent: as before, and all at first.',
  },
  AuthProxyConfigOut: {
    userId: 'The UUID of the user who does the proxy’s work. Absent while the proxy is off.',
    enabled: 'Whether pages may call the proxy.',
    allowedOrigins: 'Origins of pages that may call; `*` alone means any.',
    emailCustomizationParams: 'App name, logo, template and link of mails with codes.',
    smsCustomizationParams: 'What text messages with codes say.',
    walletKitSettings: 'Buttons for providers on login pages, with client ids and the address to return to.',
    otpLength: LENGTH,
    sessionExpirationSeconds: SECONDS,
  },
  walletKitSettings: { enabledSocialProviders: 'Buttons that login pages show, such as `google` or `apple`.' },
  GetAuthProxyConfigResponse: { authProxyConfig: 'All settings of the proxy, and whether it is on.' },
  EnableAuthProxyResult: { userId: 'The UUID of the user who does the proxy’s work.' },
  ListEmailEventsRequest: {
    email: 'The receiver’s address, of which the last 90 days are shown.',
    eventType: 'Only events of this kind.',
    paginationOptions: FIRST_TEN,
  },
  ListEmailEventsResponse: { emailEvents: 'What happened to each mail, newest first: 10 events unless the request says more.' },
  emailEvents: {
    id: 'The UUID of the event.',
    eventType: 'What happened: `Send`, `Bounce` or `DeliveryDelay`. `Delivery` and `Complaint` are never reported here.',
    timestamp: 'When the service learned of it, in RFC 3339, as in `createdAt`.',
    createdAt: 'When the service learned of it, in RFC 3339.',
    details: 'What the mail server told about it.',
  },
  details: {
    bounceType: '`Permanent` if the mail server refused the mail for good, else `Transient`.',
    bounceSubType: 'Always `General`, because no server tells more.',
    diagnosticCode: 'What the operator’s mail server answered, or that it could not be used.',
    deliverySmtpResponse: 'What the operator’s mail server answered when it took the mail.',
    deliveryProcessingTimeMillis: 'Milliseconds until the operator’s mail server took the mail, as a text.',
    deliveryDelayType: 'Always `General`. The mail is tried again.',
  },
  EmailAuthResult: { userId: 'The UUID of the user who is logged in.' },
  OauthResult: { userId: 'The UUID of the user who is logged in.' },
  OtpAuthResult: { userId: 'The UUID of the user who is logged in.' },
};
