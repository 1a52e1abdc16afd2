import type { Oauth2Provider } from '../model/oauth2-credential.ts';
import type { Environment } from './names.ts';
import { ConfigError, isWebUrl, webUrl } from './read.ts';

/** Base addresses for OAuth 2.0 providers, if they differ from the providers' own. */
export type Oauth2Urls = { readonly [P in Oauth2Provider]?: string | undefined };

/** `none`: no issuer except the service itself. */
export function oidcIssuers(env: Environment): string[] | undefined {
  const named = (env.OIDC_ISSUERS ?? '')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  if (named.length === 0) return undefined;
  if (named.length === 1 && named[0] === 'none') return [];
  for (const issuer of named)
    if (!isWebUrl(issuer))
      throw new ConfigError(`OIDC_ISSUERS must be URLs of issuers, separated by commas, or none, not "${issuer}"`);
  return named;
}

export const oauth2Urls = (env: Environment): Oauth2Urls => ({
  OAUTH2_PROVIDER_X: webUrl(env, 'OAUTH2_X_URL'),
  OAUTH2_PROVIDER_DISCORD: webUrl(env, 'OAUTH2_DISCORD_URL'),
});
