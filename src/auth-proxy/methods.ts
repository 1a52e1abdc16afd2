import { ApiError } from '../base/errors.ts';
import type { AuthMethod } from '../model/auth-proxy.ts';
import type { OidcIdentity } from '../model/oauth-provider.ts';
import type { VerificationToken } from '../model/token.ts';
import type { ProxyContext } from './declare.ts';

type Asking = Pick<ProxyContext, 'config' | 'engine'>;

const ISSUERS: Readonly<Record<string, AuthMethod>> = {
  'https://accounts.google.com': 'google',
  'https://appleid.apple.com': 'apple',
  'https://www.facebook.com': 'facebook',
  'https://facebook.com': 'facebook',
  'https://limited.facebook.com': 'facebook',
};

/** The subjects of the service's own tokens, for accounts at providers that issue none, begin with these. */
const OWN_SUBJECTS: readonly AuthMethod[] = ['x', 'discord'];

export function methodOfIdentity(
  { engine }: Pick<Asking, 'engine'>,
  { issuer, subject }: Omit<OidcIdentity, 'audience'>,
): AuthMethod {
  if (issuer === engine.baseUrl) return OWN_SUBJECTS.find((name) => subject.startsWith(`${name}:`)) ?? 'oidc';
  return ISSUERS[issuer] ?? 'oidc';
}

export const methodOfOtp = (type: VerificationToken['type']): AuthMethod => (type === 'OTP_TYPE_EMAIL' ? 'email' : 'sms');

const WITHOUT_PROVIDER: readonly AuthMethod[] = ['email', 'sms', 'passkey', 'wallet'];

/** Throws REQUEST_NOT_AUTHORIZED. For external accounts, clients match the first words of the text. */
export function requireMethod({ config }: Pick<Asking, 'config'>, method: AuthMethod): void {
  const { allowedAuthMethods } = config.settings;
  if (allowedAuthMethods === null || allowedAuthMethods.includes(method)) return;
  const what = WITHOUT_PROVIDER.includes(method) ? 'auth method disallowed' : 'OAUTH disallowed';
  throw new ApiError(
    'REQUEST_NOT_AUTHORIZED',
    `${what}: ${method} is not among the allowedAuthMethods of this application (request not authorized)`,
  );
}
