import { apiKey, newKeys } from '../../support/client.ts';
import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const credentials: Samples = {
  CREATE_API_KEYS: () => ({ userId: ID, apiKeys: [apiKey(newKeys(), { expirationSeconds: '60' })] }),
  CREATE_OAUTH_PROVIDERS: () => ({ userId: ID, oauthProviders: [{ providerName: 'Sample' }] }),
  DELETE_API_KEYS: () => ({ userId: ID, apiKeyIds: [ID] }),
  DELETE_OAUTH_PROVIDERS: () => ({ userId: ID, providerIds: [ID] }),
};
