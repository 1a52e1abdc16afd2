import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const credentials: Samples = {
  get_api_key: () => ({ apiKeyId: ID }),
  get_api_keys: () => ({}),
  get_oauth_providers: () => ({}),
  get_authenticator: () => ({ authenticatorId: ID }),
  get_authenticators: () => ({ userId: ID }),
};
