import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const oauth: Samples = {
  get_oauth2_credential: () => ({ oauth2CredentialId: ID }),
  list_oauth2_credentials: () => ({}),
};
