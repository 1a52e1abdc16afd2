import { apiKey, ethereumAccount, newKeys, userWith } from './client.ts';

const ID = '00000000-0000-7000-8000-000000000001';
const sign = {
  signWith: '0x0000000000000000000000000000000000000001',
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_KECCAK256',
};

/** The generator of P-256. */
const TARGET = '036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296';

/** Well-formed parameters of every operation's newest version: for tests that go through the lists. */
const table: Record<string, () => unknown> = {
  APPROVE_ACTIVITY: () => ({ fingerprint: `sha256:${'0'.repeat(64)}` }),
  REJECT_ACTIVITY: () => ({ fingerprint: `sha256:${'0'.repeat(64)}` }),
  CREATE_SUB_ORGANIZATION: () => ({
    subOrganizationName: 'Sample',
    rootQuorumThreshold: 1,
    rootUsers: [userWith('Sample', [newKeys()])],
  }),
  CREATE_USERS: () => ({
    users: [
      {
        ...userWith('Sample', []),
        userEmail: 'a@example.com',
        userTags: [],
        apiKeys: [apiKey(newKeys(), { expirationSeconds: '60' })],
      },
    ],
  }),
  CREATE_API_KEYS: () => ({ userId: ID, apiKeys: [apiKey(newKeys(), { expirationSeconds: '60' })] }),
  DELETE_API_KEYS: () => ({ userId: ID, apiKeyIds: [ID] }),
  CREATE_WALLET: () => ({ walletName: 'Sample', accounts: [ethereumAccount()] }),
  CREATE_WALLET_ACCOUNTS: () => ({ walletId: ID, accounts: [ethereumAccount()] }),
  CREATE_PRIVATE_KEYS: () => ({
    privateKeys: [{ privateKeyName: 'Sample', curve: 'CURVE_P256', privateKeyTags: [], addressFormats: [] }],
  }),
  UPDATE_WALLET: () => ({ walletId: ID, walletName: 'Sample' }),
  UPDATE_WALLET_ACCOUNT_NAME: () => ({ walletAccountId: ID, name: 'Sample' }),
  DELETE_WALLETS: () => ({ walletIds: [ID] }),
  DELETE_WALLET_ACCOUNTS: () => ({ walletAccountIds: [ID] }),
  DISABLE_PRIVATE_KEY: () => ({ privateKeyId: ID }),
  DELETE_PRIVATE_KEYS: () => ({ privateKeyIds: [ID] }),
  EXPORT_WALLET: () => ({ walletId: ID, targetPublicKey: TARGET }),
  EXPORT_WALLET_ACCOUNT: () => ({ address: 'Sample', targetPublicKey: TARGET }),
  EXPORT_PRIVATE_KEY: () => ({ privateKeyId: ID, targetPublicKey: TARGET }),
  INIT_IMPORT_WALLET: () => ({ userId: ID }),
  IMPORT_WALLET: () => ({ userId: ID, walletName: 'Sample', encryptedBundle: '{}', accounts: [] }),
  INIT_IMPORT_PRIVATE_KEY: () => ({ userId: ID }),
  IMPORT_PRIVATE_KEY: () => ({
    userId: ID,
    privateKeyName: 'Sample',
    encryptedBundle: '{}',
    curve: 'CURVE_SECP256K1',
    addressFormats: [],
  }),
  SIGN_TRANSACTION: () => ({ signWith: sign.signWith, unsignedTransaction: 'c0', type: 'TRANSACTION_TYPE_ETHEREUM' }),
  SIGN_RAW_PAYLOAD: () => ({ ...sign, payload: '00' }),
  SIGN_RAW_PAYLOADS: () => ({ ...sign, payloads: ['00'] }),
  CREATE_POLICY: () => ({ policyName: 'Sample', effect: 'EFFECT_ALLOW', condition: "activity.resource == 'WALLET'", notes: '' }),
  CREATE_POLICIES: () => ({ policies: [{ policyName: 'Sample', effect: 'EFFECT_DENY', notes: '' }] }),
  UPDATE_POLICY: () => ({ policyId: ID, policyName: 'Sample' }),
  DELETE_POLICY: () => ({ policyId: ID }),
  DELETE_POLICIES: () => ({ policyIds: [ID] }),
  CREATE_USER_TAG: () => ({ userTagName: 'Sample', userIds: [] }),
  UPDATE_USER_TAG: () => ({ userTagId: ID, addUserIds: [], removeUserIds: [] }),
  DELETE_USER_TAGS: () => ({ userTagIds: [ID] }),
  DELETE_USERS: () => ({ userIds: [ID] }),
  UPDATE_ROOT_QUORUM: () => ({ threshold: 1, userIds: [ID] }),
  UPDATE_ORGANIZATION_NAME: () => ({ organizationName: 'Sample' }),
  SET_ORGANIZATION_FEATURE: () => ({ name: 'FEATURE_NAME_EMAIL_AUTH', value: '' }),
  REMOVE_ORGANIZATION_FEATURE: () => ({ name: 'FEATURE_NAME_EMAIL_AUTH' }),
  CREATE_SMART_CONTRACT_INTERFACE: () => ({
    smartContractAddress: `0x${'1'.repeat(40)}`,
    smartContractInterface: '[]',
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label: 'Sample',
  }),
  DELETE_SMART_CONTRACT_INTERFACE: () => ({ smartContractInterfaceId: ID }),
  get_policy: () => ({ policyId: ID }),
  list_policies: () => ({}),
  get_policy_evaluations: () => ({ activityId: ID }),
  list_user_tags: () => ({}),
  get_smart_contract_interface: () => ({ smartContractInterfaceId: ID }),
  list_smart_contract_interfaces: () => ({}),
  get_organization_configs: () => ({}),
  whoami: () => ({}),
  simulate_activity: () => ({ type: 'ACTIVITY_TYPE_CREATE_WALLET', parameters: { walletName: 'Sample', accounts: [] } }),
  replay_policy: () => ({ effect: 'EFFECT_DENY', condition: 'true' }),
  get_activity: () => ({ activityId: ID }),
  list_activities: () => ({}),
  list_suborgs: () => ({}),
  list_users: () => ({}),
  get_user: () => ({ userId: ID }),
  get_api_keys: () => ({}),
  list_wallets: () => ({}),
  get_wallet: () => ({ walletId: ID }),
  list_wallet_accounts: () => ({}),
  get_wallet_account: () => ({ walletId: ID, path: 'm/0' }),
  list_private_keys: () => ({}),
  get_private_key: () => ({ privateKeyId: ID }),
};

/** Throws for an operation without a sample, so that a new one cannot be forgotten. */
export function samples(operation: string): unknown {
  const make = table[operation];
  if (make === undefined) throw new Error(`tests/support/samples.ts has no parameters for ${operation}`);
  return make();
}
