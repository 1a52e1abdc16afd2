import { createHash, randomBytes } from 'node:crypto';
import { resultOf } from '../client.ts';
import { encryptedSecret, sharedProviders } from '../oauth2.ts';
import { sharedIssuer } from '../oidc.ts';
import type { Things } from './kinds.ts';

/** The issuer of all accounts elsewhere in these tests. */
export const { issuer, env } = await sharedIssuer();

/** The OAuth 2.0 providers. */
export const { providers, env: providersEnv } = await sharedProviders();

/** What lets an instance ask them. */
export const issuerEnv: Record<string, string> = {
  ...providersEnv,
  OUTBOUND_ALLOW: `${env.OUTBOUND_ALLOW},${providersEnv.OUTBOUND_ALLOW}`,
};

/** The secret of the application at the providers, as a client sends it. */
export async function newSecret({ home }: Things): Promise<{ encryptedClientSecret: string }> {
  return { encryptedClientSecret: await encryptedSecret(home.instance.url, providers.clientSecret) };
}

/** A token of a new person, and the claims that identify them. */
export function newAccount(): { oidcToken: string; oidcClaims: string } {
  const sub = randomBytes(8).toString('hex');
  return { oidcToken: issuer.signNow({ sub }), oidcClaims: JSON.stringify({ iss: issuer.url, aud: issuer.clientId, sub }) };
}

/** Parameters of a login at the issuer by a person with an account there. `bound`: the key that the login is for. */
export async function newLogin(things: Things, bound: Record<string, string>): Promise<object> {
  const sub = randomBytes(8).toString('hex');
  const { client, userId } = things.home;
  const oauthProviders = [{ providerName: 'Login', oidcToken: issuer.signNow({ sub }) }];
  resultOf(await client.submit('CREATE_OAUTH_PROVIDERS_V2', { userId, oauthProviders }), 'createOauthProvidersResultV2');
  const nonce = createHash('sha256').update(Object.values(bound)[0]!).digest('hex');
  return { ...bound, oidcToken: issuer.signNow({ sub, nonce }) };
}
