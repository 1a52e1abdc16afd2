import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const oauth: Samples = {
  CREATE_OAUTH2_CREDENTIAL: () => ({ provider: 'OAUTH2_PROVIDER_X', clientId: ID, encryptedClientSecret: 'sample' }),
  DELETE_OAUTH2_CREDENTIAL: () => ({ oauth2CredentialId: ID }),
  OAUTH: () => ({ oidcToken: 'sample', targetPublicKey: 'sample' }),
  OAUTH2_AUTHENTICATE: () => ({
    oauth2CredentialId: ID,
    authCode: 'sample',
    redirectUri: 'sample',
    codeVerifier: 'sample',
    nonce: 'sample',
  }),
  OAUTH_LOGIN: () => ({ oidcToken: 'sample', publicKey: 'sample' }),
  UPDATE_OAUTH2_CREDENTIAL: () => ({
    oauth2CredentialId: ID,
    provider: 'OAUTH2_PROVIDER_X',
    clientId: ID,
    encryptedClientSecret: 'sample',
  }),
};
