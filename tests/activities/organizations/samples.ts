import { SoftAuthenticator } from '../../support/authenticator.ts';
import { ethereumAccount, newKeys, userWith } from '../../support/client.ts';
import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const organizations: Samples = {
  CREATE_SUB_ORGANIZATION: () => ({
    subOrganizationName: 'Sample',
    rootQuorumThreshold: 1,
    rootUsers: [userWith('Sample', [newKeys()], { authenticators: [new SoftAuthenticator().register()] })],
    wallet: { walletName: 'Sample', accounts: [ethereumAccount()] },
  }),
  DELETE_ORGANIZATION: () => ({ organizationId: ID }),
  DELETE_SUB_ORGANIZATION: () => ({}),
  UPDATE_ALLOWED_ORIGINS: () => ({ allowedOrigins: ['https://example.com'] }),
  UPDATE_ROOT_QUORUM: () => ({ threshold: 1, userIds: [ID] }),
  UPDATE_ORGANIZATION_NAME: () => ({ organizationName: 'Sample' }),
  SET_ORGANIZATION_FEATURE: () => ({ name: 'FEATURE_NAME_EMAIL_AUTH', value: '' }),
  REMOVE_ORGANIZATION_FEATURE: () => ({ name: 'FEATURE_NAME_EMAIL_AUTH' }),
};
