import { apiKey, type Client, newKeys, resultOf, userWith } from '../support/client.ts';
import type { Instance } from '../support/instance.ts';
import { newTarget } from '../support/published.ts';
import { RECEIVER } from '../support/samples.ts';
import { newKeyTag, newPolicy, newPrivateKey, newTag, newWallet } from './authority.ts';

/** An organization with one user who signs by a policy, and all that such a signature looks up. */
export type Scene = {
  root: Client;
  rootId: string;
  signer: Client;
  signerId: string;
  apiKeyId: string;
  tagId: string;
  walletId: string;
  accountId: string;
  address: string;
  privateKeyId: string;
  privateKeyTagId: string;
  policyId: string;
};

let made = 0;

/** The policy that lets the signer sign. Texts of policies come from the scene without its policy. */
export type Allows = (scene: Omit<Scene, 'policyId'>) => { condition?: string; consensus?: string };

export async function newScene(instance: Instance, allows: Allows = () => ({})): Promise<Scene> {
  const { clients, userIds } = await instance.newSubOrganization(`scene ${++made}`, 1, 1);
  const root = clients[0]!;
  const keys = newKeys();
  const users = [{ ...userWith('signer', [keys, newKeys()]), userTags: [] }];
  const [signerId] = resultOf(await root.submit('CREATE_USERS_V4', { users }), 'createUsersResult').userIds;
  const tagId = await newTag(root, [signerId]);
  const { walletId, addresses } = await newWallet(root);
  const privateKeyTagId = await newKeyTag(root);
  const privateKeyId = await newPrivateKey(root, [privateKeyTagId]);
  const { apiKeys } = (await root.query('get_api_keys', { userId: signerId })).body;
  const { accounts } = (await root.query('list_wallet_accounts', { walletId })).body;
  const scene = {
    root,
    rootId: userIds[0]!,
    signer: root.as(keys),
    signerId,
    apiKeyId: apiKeys.find((key: { credential: { publicKey: string } }) => key.credential.publicKey === keys.publicKey).apiKeyId,
    tagId,
    walletId,
    accountId: accounts[0].walletAccountId,
    address: addresses[0]!,
    privateKeyId,
    privateKeyTagId,
  };
  const consensus = `approvers.any(user, user.id == '${signerId}')`;
  const policyId = await newPolicy(root, { condition: `activity.action == 'SIGN'`, consensus, ...allows(scene) });
  return { ...scene, policyId };
}

/** A change of something that signatures keep in memory. */
export type Change = {
  type: string;
  parameters(scene: Scene): object;
  /** The status of a signature that meets the change. */
  status: number;
  /** It waits for another stamp of its user, and nothing is signed. */
  waits?: true;
  allows?: Allows;
  signWith?: (scene: Scene) => string;
};

const byTag: Allows = ({ tagId }) => ({ consensus: `approvers.any(user, user.tags.contains('${tagId}'))` });
const byKeyTag: Allows = ({ privateKeyTagId }) => ({ condition: `private_key.tags.contains('${privateKeyTagId}')` });
const onlyIf =
  (text: string): Allows =>
  () => ({ condition: `activity.action == 'SIGN' && ${text}` });
const privateKey = ({ privateKeyId }: Scene): string => privateKeyId;
const targetPublicKey = newTarget().publicKeyUncompressed;

/** Every kind of change of a kept row, and of what decisions rest on besides. */
export const CHANGES: Readonly<Record<string, Change>> = {
  'organization: name': { type: 'UPDATE_ORGANIZATION_NAME', parameters: () => ({ organizationName: 'changed' }), status: 200 },
  'organization: root quorum': {
    type: 'UPDATE_ROOT_QUORUM',
    parameters: ({ signerId, rootId }) => ({ threshold: 2, userIds: [signerId, rootId] }),
    status: 200,
  },
  'organization: a feature': {
    type: 'SET_ORGANIZATION_FEATURE',
    parameters: () => ({ name: 'FEATURE_NAME_WEBHOOK', value: RECEIVER }),
    status: 200,
  },
  'user: name': {
    type: 'UPDATE_USER_NAME',
    parameters: ({ signerId }) => ({ userId: signerId, userName: 'changed' }),
    status: 200,
  },
  'user: email': {
    type: 'UPDATE_USER_EMAIL',
    parameters: ({ signerId }) => ({ userId: signerId, userEmail: 'changed@example.com' }),
    status: 403,
    allows: () => ({ consensus: `approvers.any(user, user.email == '')` }),
  },
  'user: phone number': {
    type: 'UPDATE_USER_PHONE_NUMBER',
    parameters: ({ signerId }) => ({ userId: signerId, userPhoneNumber: '+14155550100' }),
    status: 200,
  },
  'user: tags replaced': {
    type: 'UPDATE_USER',
    parameters: ({ signerId }) => ({ userId: signerId, userTagIds: [] }),
    status: 403,
    allows: byTag,
  },
  'user: deleted': { type: 'DELETE_USERS', parameters: ({ signerId }) => ({ userIds: [signerId] }), status: 401 },
  'API key: deleted': {
    type: 'DELETE_API_KEYS',
    parameters: ({ signerId, apiKeyId }) => ({ userId: signerId, apiKeyIds: [apiKeyId] }),
    status: 401,
  },
  'API key: another one made': {
    type: 'CREATE_API_KEYS_V2',
    parameters: ({ signerId }) => ({ userId: signerId, apiKeys: [apiKey(newKeys())] }),
    status: 200,
  },
  'MFA policy: made': {
    type: 'CREATE_MFA_POLICY',
    parameters: ({ signerId }) => ({
      userId: signerId,
      mfaPolicyName: 'late',
      condition: "activity.action == 'SIGN'",
      requiredAuthenticationMethods: [{ any: [{ type: 'AUTHENTICATION_TYPE_PASSKEY' }] }],
      order: 0,
    }),
    status: 200,
    waits: true,
  },
  'tag: another one given': {
    type: 'CREATE_USER_TAG',
    parameters: ({ signerId }) => ({ userTagName: 'another', userIds: [signerId] }),
    status: 200,
  },
  'tag: name': {
    type: 'UPDATE_USER_TAG',
    parameters: ({ tagId }) => ({ userTagId: tagId, newUserTagName: 'changed', addUserIds: [], removeUserIds: [] }),
    status: 200,
  },
  'tag: taken': {
    type: 'UPDATE_USER_TAG',
    parameters: ({ tagId, signerId }) => ({ userTagId: tagId, addUserIds: [], removeUserIds: [signerId] }),
    status: 403,
    allows: byTag,
  },
  'tag: deleted': { type: 'DELETE_USER_TAGS', parameters: ({ tagId }) => ({ userTagIds: [tagId] }), status: 403, allows: byTag },
  'wallet: name': {
    type: 'UPDATE_WALLET',
    parameters: ({ walletId }) => ({ walletId, walletName: 'changed' }),
    status: 403,
    allows: onlyIf(`wallet.label != 'changed'`),
  },
  'wallet: exported': {
    type: 'EXPORT_WALLET',
    parameters: ({ walletId }) => ({ walletId, targetPublicKey }),
    status: 403,
    allows: onlyIf('wallet.exported == false'),
  },
  'wallet: deleted': {
    type: 'DELETE_WALLETS',
    parameters: ({ walletId }) => ({ walletIds: [walletId], deleteWithoutExport: true }),
    status: 404,
  },
  'account: name': {
    type: 'UPDATE_WALLET_ACCOUNT_NAME',
    parameters: ({ accountId }) => ({ walletAccountId: accountId, name: 'changed' }),
    status: 200,
    allows: onlyIf(`wallet.label != ''`),
  },
  'account: exported': {
    type: 'EXPORT_WALLET_ACCOUNT',
    parameters: ({ address }) => ({ address, targetPublicKey }),
    status: 200,
    allows: onlyIf(`wallet.label != ''`),
  },
  'account: deleted': {
    type: 'DELETE_WALLET_ACCOUNTS',
    parameters: ({ accountId }) => ({ walletAccountIds: [accountId], deleteWithoutExport: true }),
    status: 404,
  },
  'private key: disabled': {
    type: 'DISABLE_PRIVATE_KEY',
    parameters: ({ privateKeyId }) => ({ privateKeyId }),
    status: 400,
    signWith: privateKey,
  },
  'private key: exported': {
    type: 'EXPORT_PRIVATE_KEY',
    parameters: ({ privateKeyId }) => ({ privateKeyId, targetPublicKey }),
    status: 403,
    allows: onlyIf('private_key.exported == false'),
    signWith: privateKey,
  },
  'private key: deleted': {
    type: 'DELETE_PRIVATE_KEYS',
    parameters: ({ privateKeyId }) => ({ privateKeyIds: [privateKeyId], deleteWithoutExport: true }),
    status: 404,
    signWith: privateKey,
  },
  'private key: tag taken': {
    type: 'UPDATE_PRIVATE_KEY_TAG',
    parameters: ({ privateKeyTagId, privateKeyId }) => ({
      privateKeyTagId,
      addPrivateKeyIds: [],
      removePrivateKeyIds: [privateKeyId],
    }),
    status: 403,
    allows: byKeyTag,
    signWith: privateKey,
  },
  'private key: tag deleted': {
    type: 'DELETE_PRIVATE_KEY_TAGS',
    parameters: ({ privateKeyTagId }) => ({ privateKeyTagIds: [privateKeyTagId] }),
    status: 403,
    allows: byKeyTag,
    signWith: privateKey,
  },
  'private key: another tag given': {
    type: 'CREATE_PRIVATE_KEY_TAG',
    parameters: ({ privateKeyId }) => ({ privateKeyTagName: 'another', privateKeyIds: [privateKeyId] }),
    status: 200,
    allows: byKeyTag,
    signWith: privateKey,
  },
  'policy: deleted': { type: 'DELETE_POLICY', parameters: ({ policyId }) => ({ policyId }), status: 403 },
  'policy: a DENY made': {
    type: 'CREATE_POLICY_V3',
    parameters: () => ({ policyName: 'no', effect: 'EFFECT_DENY', condition: `activity.action == 'SIGN'`, notes: '' }),
    status: 403,
  },
};
