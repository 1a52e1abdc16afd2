import { SoftAuthenticator } from '../../support/authenticator.ts';
import { apiKey, newKeys } from '../../support/client.ts';
import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version, and of older ones. */
export const credentials: Samples = {
  ACTIVITY_TYPE_CREATE_API_KEYS: () => ({
    userId: ID,
    apiKeys: [{ apiKeyName: 'Sample', publicKey: newKeys().publicKey, expirationSeconds: '60' }],
  }),
  CREATE_API_KEYS: () => ({ userId: ID, apiKeys: [apiKey(newKeys(), { expirationSeconds: '60' })] }),
  ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS: () => ({ userId: ID, oauthProviders: [{ providerName: 'Sample', oidcToken: 'a.b.c' }] }),
  CREATE_OAUTH_PROVIDERS: () => ({
    userId: ID,
    oauthProviders: [{ providerName: 'Sample', oidcClaims: { iss: 'https://issuer.test', sub: 'subject', aud: 'client' } }],
  }),
  DELETE_OAUTH_PROVIDERS: () => ({ userId: ID, providerIds: [ID] }),
  ACTIVITY_TYPE_CREATE_AUTHENTICATORS: () => ({ userId: ID, authenticators: [new SoftAuthenticator().registerV1(ID)] }),
  CREATE_AUTHENTICATORS: () => ({ userId: ID, authenticators: [new SoftAuthenticator().register()] }),
  DELETE_API_KEYS: () => ({ userId: ID, apiKeyIds: [ID] }),
  DELETE_AUTHENTICATORS: () => ({ userId: ID, authenticatorIds: [ID] }),
};
