import { ORIGIN, SoftAuthenticator } from '../../support/authenticator.ts';
import { apiKey, ethereumAccount, newKeys, userWith } from '../../support/client.ts';
import { ID, type Samples } from '../../support/samples.ts';

/** A root user of the versions that name no curve. */
function older(more: object = {}) {
  const { apiKeyName, publicKey } = apiKey(newKeys());
  const authenticators = [new SoftAuthenticator().register()];
  return { userName: 'Sample', userEmail: 'a@example.com', apiKeys: [{ apiKeyName, publicKey }], authenticators, ...more };
}

const wallet = { walletName: 'Sample', accounts: [ethereumAccount()] };
const key = { privateKeyName: 'Sample', curve: 'CURVE_P256', privateKeyTags: [], addressFormats: [] };

/** A sub-organization of the versions after the first. */
const sub = (user: object, more: object = {}) => {
  return { subOrganizationName: 'Sample', rootQuorumThreshold: 1, rootUsers: [user], ...more };
};

/** Well-formed parameters of each operation's newest version, and of older ones. */
export const organizations: Samples = {
  CREATE_ORGANIZATION: () => ({
    organizationName: 'Sample',
    rootEmail: 'sample@example.com',
    rootAuthenticator: new SoftAuthenticator().register(),
  }),
  ACTIVITY_TYPE_CREATE_ORGANIZATION: () => ({
    organizationName: 'Sample',
    rootEmail: 'sample@example.com',
    rootAuthenticator: new SoftAuthenticator().registerV1(ID),
  }),
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION: () => ({ name: 'Sample', rootAuthenticator: new SoftAuthenticator().register() }),
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2: () => sub(older()),
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3: () => sub(older(), { privateKeys: [key] }),
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4: () => sub(older(), { wallet }),
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5: () => sub(older({ oauthProviders: [] }), { wallet }),
  CREATE_SUB_ORGANIZATION: () =>
    sub(userWith('Sample', [newKeys()], { authenticators: [new SoftAuthenticator().register()] }), { wallet }),
  DELETE_ORGANIZATION: () => ({ organizationId: ID }),
  DELETE_SUB_ORGANIZATION: () => ({}),
  UPDATE_ALLOWED_ORIGINS: () => ({ allowedOrigins: [ORIGIN] }),
  UPDATE_ROOT_QUORUM: () => ({ threshold: 1, userIds: [ID] }),
  UPDATE_ORGANIZATION_NAME: () => ({ organizationName: 'Sample' }),
  SET_ORGANIZATION_FEATURE: () => ({ name: 'FEATURE_NAME_EMAIL_AUTH', value: '' }),
  COUNTERSIGN_REFUSE_ROOT_RECOVERY: () => ({}),
  REMOVE_ORGANIZATION_FEATURE: () => ({ name: 'FEATURE_NAME_EMAIL_AUTH' }),
};
