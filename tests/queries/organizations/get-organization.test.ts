import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, test } from 'node:test';
import { getOrganization } from '../../../src/queries/organizations/get-organization.ts';
import { wallets } from '../../../src/store/tables/wallets.ts';
import { NOW } from '../../store/fixture.ts';
import { bulk } from '../../store/many.ts';
import { type Client, ethereumAccount, newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refusesEachQuery } from '../../support/refusals.ts';

const instance = await sharedInstance();
let sub: { organizationId: string; clients: Client[]; userIds: string[] };
let client: Client;

before(async () => {
  sub = await instance.newSubOrganization('Whole', 2, 1);
  client = sub.clients[0]!;
});

const read = async (who = client) => {
  const answer = await who.query('get_organization');
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(getOrganization.result.parse(answer.body), answer.body);
  return answer.body.organizationData;
};

test('a new organization has its users and features, and nothing else', async () => {
  const { users, features, ...rest } = await read();
  assert.deepEqual(rest, {
    organizationId: sub.organizationId,
    name: 'Whole',
    rootQuorum: { threshold: 1, userIds: sub.userIds },
    policies: [],
    privateKeys: [],
    invitations: [],
    tags: [],
    wallets: [],
    smartContractInterfaceReferences: [],
  });
  assert.deepEqual(users, (await client.query('list_users')).body.users);
  assert.deepEqual(features, (await client.query('get_organization_configs')).body.configs.features);
});

test('each list is what its own query answers', async () => {
  const submit = async (type: string, parameters: object, key: string) => resultOf(await client.submit(type, parameters), key);
  const { userTagId } = await submit('CREATE_USER_TAG', { userTagName: 'tag', userIds: [sub.userIds[0]] }, 'createUserTagResult');
  const users = [{ ...userWith('Third', [newKeys()]), userTags: [userTagId] }];
  await submit('CREATE_USERS_V4', { users }, 'createUsersResult');
  await submit('CREATE_PRIVATE_KEY_TAG', { privateKeyTagName: 'tag', privateKeyIds: [] }, 'createPrivateKeyTagResult');
  const privateKeys = ['one', 'two'].map((privateKeyName) => ({
    privateKeyName,
    curve: 'CURVE_SECP256K1',
    privateKeyTags: [],
    addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
  }));
  await submit('CREATE_PRIVATE_KEYS_V2', { privateKeys }, 'createPrivateKeysResultV2');
  for (const walletName of ['one', 'two'])
    await submit('CREATE_WALLET', { walletName, accounts: [ethereumAccount()] }, 'createWalletResult');
  const policy = { policyName: 'p', effect: 'EFFECT_ALLOW', condition: 'true', consensus: 'true', notes: '' };
  await submit('CREATE_POLICY_V3', policy, 'createPolicyResult');
  const text = JSON.stringify([{ type: 'function', name: 'f', inputs: [], outputs: [], stateMutability: 'view' }]);
  const contract = {
    smartContractAddress: `0x${'ab'.repeat(20)}`,
    smartContractInterface: text,
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label: 'contract',
    notes: '',
  };
  const made = await submit('CREATE_SMART_CONTRACT_INTERFACE', contract, 'createSmartContractInterfaceResult');
  const invitations = [
    {
      receiverUserName: 'Guest',
      receiverUserEmail: 'guest@example.com',
      receiverUserTags: [],
      accessType: 'ACCESS_TYPE_WEB',
      senderUserId: sub.userIds[0],
    },
  ];
  const invited = await submit('CREATE_INVITATIONS', { invitations }, 'createInvitationsResult');

  const data = await read();
  for (const [query, list] of [
    ['list_users', 'users'],
    ['list_policies', 'policies'],
    ['list_private_keys', 'privateKeys'],
    ['list_wallets', 'wallets'],
  ] as const) {
    assert.ok(data[list].length > 0, list);
    assert.deepEqual(data[list], (await client.query(query)).body[list]);
  }
  const ofUsers = (await client.query('list_user_tags')).body.userTags;
  const ofKeys = (await client.query('list_private_key_tags')).body.privateKeyTags;
  assert.deepEqual(data.tags, [...ofUsers, ...ofKeys]);
  assert.deepEqual(data.smartContractInterfaceReferences, [
    {
      smartContractInterfaceId: made.smartContractInterfaceId,
      smartContractAddress: contract.smartContractAddress,
      digest: createHash('sha256').update(text).digest('hex'),
    },
  ]);
  assert.deepEqual(
    data.invitations.map(({ invitationId }: { invitationId: string }) => invitationId),
    invited.invitationIds,
  );
  assert.ok(!JSON.stringify(data).includes('secret'));
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  assert.deepEqual(await read(parent), data, 'the parent sees the same');
});

test('long lists come in slices, whole and in their order', async () => {
  const large = await instance.newSubOrganization('Large', 1, 1);
  const count = 5_000;
  const rows = await bulk({ folder: instance.dataDir, url: instance.databaseUrl });
  const id = (n: number) => `${String(n).padStart(8, '0')}-0001-7000-8000-000000000000`;
  try {
    const of = { organizationId: large.organizationId, exported: false, imported: false, createdAt: NOW, updatedAt: NOW };
    await rows.insert(wallets, count, (n) => ({ ...of, id: id(n), name: `wallet ${n}` }));
  } finally {
    await rows.close();
  }
  const data = await read(large.clients[0]!);
  assert.deepEqual(
    data.wallets.map(({ walletId }: { walletId: string }) => walletId),
    Array.from({ length: count }, (_, n) => id(n)),
  );
  assert.deepEqual(data.smartContractInterfaceReferences, []);
});

test('bad parameters are named', () =>
  refusesEachQuery(instance.root, 'get_organization', [
    [{ organizationId: 'x' }, 'organizationId', /malformed|UUID/, 'INVALID_ORGANIZATION_ID'],
  ]));
