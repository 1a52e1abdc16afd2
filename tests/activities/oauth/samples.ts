import { newKeys } from '../../support/client.ts';
import { ID, type Samples } from '../../support/samples.ts';

const credential = { provider: 'OAUTH2_PROVIDER_X', clientId: 'client', encryptedClientSecret: 'ab' };

/** Well-formed parameters of each operation's newest version. */
export const oauth: Samples = {
  CREATE_OAUTH2_CREDENTIAL: () => credential,
  UPDATE_OAUTH2_CREDENTIAL: () => ({ ...credential, oauth2CredentialId: ID }),
  DELETE_OAUTH2_CREDENTIAL: () => ({ oauth2CredentialId: ID }),
  OAUTH: () => ({ oidcToken: 'a.b.c', targetPublicKey: newKeys().publicKey }),
  OAUTH_LOGIN: () => ({ oidcToken: 'a.b.c', publicKey: newKeys().publicKey }),
  OAUTH2_AUTHENTICATE: () => ({
    oauth2CredentialId: ID,
    authCode: 'code',
    redirectUri: 'https://client.test/signed-in',
    codeVerifier: 'verifier',
    nonce: 'nonce',
  }),
};
