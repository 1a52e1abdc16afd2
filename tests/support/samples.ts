import { apiKey, ethereumAccount, newKeys, userWith } from './client.ts';

const ID = '00000000-0000-7000-8000-000000000001';
const sign = {
  signWith: '0x0000000000000000000000000000000000000001',
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_KECCAK256',
};

/** Well-formed parameters of every operation's newest version: for tests that go through the lists. */
const table: Record<string, () => unknown> = {
  APPROVE_ACTIVITY: () => ({ fingerprint: `sha256:${'0'.repeat(64)}` }),
  REJECT_ACTIVITY: () => ({ fingerprint: `sha256:${'0'.repeat(64)}` }),
  CREATE_SUB_ORGANIZATION: () => ({
    subOrganizationName: 'Sample',
    rootQuorumThreshold: 1,
    rootUsers: [userWith('Sample', [newKeys()])],
  }),
  CREATE_USERS: () => ({ users: [{ ...userWith('Sample', [newKeys()]), userTags: [] }] }),
  CREATE_API_KEYS: () => ({ userId: ID, apiKeys: [apiKey(newKeys())] }),
  DELETE_API_KEYS: () => ({ userId: ID, apiKeyIds: [ID] }),
  CREATE_WALLET: () => ({ walletName: 'Sample', accounts: [ethereumAccount()] }),
  CREATE_WALLET_ACCOUNTS: () => ({ walletId: ID, accounts: [ethereumAccount()] }),
  CREATE_PRIVATE_KEYS: () => ({
    privateKeys: [{ privateKeyName: 'Sample', curve: 'CURVE_P256', privateKeyTags: [], addressFormats: [] }],
  }),
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
  list_private_keys: () => ({}),
  get_private_key: () => ({ privateKeyId: ID }),
};

/** Throws for an operation without a sample, so that a new one cannot be forgotten. */
export function samples(operation: string): unknown {
  const make = table[operation];
  if (make === undefined) throw new Error(`tests/support/samples.ts has no parameters for ${operation}`);
  return make();
}
