import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKey, type Client, ethereumAccount, newKeys, resultOf, userWith } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { refused } from '../support/refusals.ts';
import { count } from './support.ts';

const instance = await sharedInstance({
  LIMIT_WALLETS: '2',
  LIMIT_WALLET_ACCOUNTS: '4',
  LIMIT_PRIVATE_KEYS: '2',
  LIMIT_USERS: '4',
  LIMIT_POLICY_CHARACTERS_OF_SUB_ORGANIZATION: '100',
  LIMIT_CONTRACT_INTERFACE_CHARACTERS: '300',
  LIMIT_LONG_LIVED_API_KEYS: '2',
  LIMIT_EXPIRING_API_KEYS: '2',
});

const tooMany = (text: RegExp): [number, string, RegExp] => [429, 'UNSPECIFIED', text];
const LASTING = tooMany(/^user has exceeded maximum long-lived api keys: at most 2 \(LIMIT_LONG_LIVED_API_KEYS\)$/);
const EXPIRING = tooMany(/^user has exceeded maximum short-lived api keys: at most 0 \(LIMIT_EXPIRING_API_KEYS\)$/);
const short = (expirationSeconds: string) => apiKey(newKeys(), { expirationSeconds });
const wallet = (walletName: string) => ({ walletName, accounts: [] });
const users = (...names: string[]) => ({ users: names.map((name) => ({ ...userWith(name, [newKeys()]), userTags: [] })) });
const privateKeys = (...names: string[]) => ({
  privateKeys: names.map((privateKeyName) => ({ privateKeyName, curve: 'CURVE_P256', privateKeyTags: [], addressFormats: [] })),
});

const newOrganization = async (name: string): Promise<Client> => (await instance.newSubOrganization(name, 1, 1)).clients[0]!;

async function keysOf(client: Client, userId: string): Promise<string[]> {
  const { apiKeys } = (await client.query('get_api_keys', { userId })).body;
  return apiKeys.map((key: { apiKeyId: string }) => key.apiKeyId);
}

test('wallets', async () => {
  const root = await newOrganization('Wallets');
  for (const name of ['a', 'b']) resultOf(await root.submit('CREATE_WALLET', wallet(name)), 'createWalletResult');
  refused(await root.submit('CREATE_WALLET', wallet('c')), tooMany(/limit of 2 wallets \(LIMIT_WALLETS\)/));
  assert.equal(await count(root, 'list_wallets', 'wallets'), 2);
});

test('the text of policies, new and changed, and of contract interfaces', async () => {
  const root = await newOrganization('Texts');
  const policy = (policyName: string, length: number) => ({
    policyName,
    effect: 'EFFECT_ALLOW',
    condition: `true${' '.repeat(length - 4)}`,
    notes: 'not counted',
  });
  const { policyId } = resultOf(await root.submit('CREATE_POLICY_V3', policy('a', 60)), 'createPolicyResult');
  const wanted = tooMany(
    /limit of 100 characters in the expressions of its policies \(LIMIT_POLICY_CHARACTERS_OF_SUB_ORGANIZATION\)/,
  );
  refused(await root.submit('CREATE_POLICY_V3', policy('b', 41)), wanted);
  resultOf(await root.submit('CREATE_POLICY_V3', policy('b', 40)), 'createPolicyResult');
  refused(await root.submit('UPDATE_POLICY_V2', { policyId, policyConsensus: 'true' }), wanted);
  assert.equal(await count(root, 'list_policies', 'policies'), 2);
  const type = 'CREATE_SMART_CONTRACT_INTERFACE';
  const contract = (label: string) => ({
    label,
    smartContractAddress: `0x${'1'.repeat(40)}`,
    smartContractInterface: `[]${' '.repeat(198)}`,
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
  });
  resultOf(await root.submit(type, contract('a')), 'createSmartContractInterfaceResult');
  refused(await root.submit(type, contract('b')), tooMany(/limit of 300 characters in its contract interfaces/));
});

test('wallets that are made at the same time', async () => {
  const root = await newOrganization('At once');
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => root.submit('CREATE_WALLET', wallet(`${i}`))));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, ...Array(6).fill(429)]);
  assert.equal(await count(root, 'list_wallets', 'wallets'), 2);
});

const ACCOUNTS = tooMany(/limit of 4 wallet accounts \(LIMIT_WALLET_ACCOUNTS\): delete some, or ask the operator to raise it$/);
const accounts = (...indexes: number[]) => indexes.map((i) => ethereumAccount(i));
const created = async (root: Client, walletName: string, ...indexes: number[]): Promise<string> => {
  const made = await root.submit('CREATE_WALLET', { walletName, accounts: accounts(...indexes) });
  return resultOf(made, 'createWalletResult').walletId;
};

const accountsOf = async (root: Client, walletId: string): Promise<number> =>
  (await root.query('list_wallet_accounts', { walletId })).body.accounts.length;

test('accounts of all wallets together; what is deleted makes room, and what is only shown needs none', async () => {
  const root = await newOrganization('Accounts');
  refused(await root.submit('CREATE_WALLET', { walletName: 'a', accounts: accounts(0, 1, 2, 3, 4) }), ACCOUNTS);
  const walletId = await created(root, 'a', 0);
  const more = (...indexes: number[]) => root.submit('CREATE_WALLET_ACCOUNTS', { walletId, accounts: accounts(...indexes) });
  refused(await more(1, 2, 3, 4), ACCOUNTS);
  resultOf(await more(1), 'createWalletAccountsResult');
  refused(await root.submit('CREATE_WALLET', { walletName: 'b', accounts: accounts(0, 1, 2) }), ACCOUNTS);
  const other = await created(root, 'b', 0, 1);
  refused(await more(2), ACCOUNTS);
  // Refused requests do not count.
  refused(await more(0), ACCOUNTS);
  const shown = { walletId, accounts: accounts(2, 3, 4, 5, 6), persist: false };
  resultOf(await root.submit('CREATE_WALLET_ACCOUNTS', shown), 'createWalletAccountsResult');

  const [first] = (await root.query('list_wallet_accounts', { walletId })).body.accounts;
  const one = { walletAccountIds: [first.walletAccountId, first.walletAccountId], deleteWithoutExport: true };
  resultOf(await root.submit('DELETE_WALLET_ACCOUNTS', one), 'deleteWalletAccountsResult');
  refused(await more(2, 3), ACCOUNTS);
  refused(await more(1), [400, 'REQUEST_INVALID', /wallet account already exists/]);
  resultOf(await more(2), 'createWalletAccountsResult');
  resultOf(await root.submit('DELETE_WALLETS', { walletIds: [other], deleteWithoutExport: true }), 'deleteWalletsResult');
  refused(await more(3, 4, 5), ACCOUNTS);
  resultOf(await more(3, 4), 'createWalletAccountsResult');
  assert.equal(await accountsOf(root, walletId), 4);
});

test('accounts of a new sub-organization', async () => {
  const wallet = { walletName: 'Wallet', accounts: accounts(0, 1, 2, 3, 4) };
  const rootUsers = users('root').users.map(({ userTags: _, ...user }) => user);
  const sub = { subOrganizationName: 'Full', rootQuorumThreshold: 1, rootUsers };
  refused(await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', { ...sub, wallet }), ACCOUNTS);
  const smaller = { ...wallet, accounts: accounts(0, 1, 2, 3) };
  resultOf(
    await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', { ...sub, wallet: smaller }),
    'createSubOrganizationResultV8',
  );
});

test('accounts that are made at the same time', async () => {
  const root = await newOrganization('Accounts at once');
  const walletId = await created(root, 'a');
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      root.submit('CREATE_WALLET_ACCOUNTS', { walletId, accounts: accounts(2 * i, 2 * i + 1) }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, ...Array(6).fill(429)]);
  assert.equal(await accountsOf(root, walletId), 4);
});

test('private keys, however many at once', async () => {
  const root = await newOrganization('Private keys');
  const wanted = tooMany(/limit of 2 private keys \(LIMIT_PRIVATE_KEYS\)/);
  refused(await root.submit('CREATE_PRIVATE_KEYS_V2', privateKeys('a', 'b', 'c')), wanted);
  resultOf(await root.submit('CREATE_PRIVATE_KEYS_V2', privateKeys('a')), 'createPrivateKeysResultV2');
  refused(await root.submit('CREATE_PRIVATE_KEYS_V2', privateKeys('b', 'c')), wanted);
  resultOf(await root.submit('CREATE_PRIVATE_KEYS_V2', privateKeys('b')), 'createPrivateKeysResultV2');
});

test('users, also those of a new sub-organization; a deleted one makes room', async () => {
  const root = await newOrganization('Users');
  const wanted = tooMany(/limit of 4 users \(LIMIT_USERS\)/);
  refused(await root.submit('CREATE_USERS_V4', users('a', 'b', 'c', 'd')), wanted);
  const { userIds } = resultOf(await root.submit('CREATE_USERS_V4', users('a', 'b', 'c')), 'createUsersResult');
  refused(await root.submit('CREATE_USERS_V4', users('d')), wanted);
  resultOf(await root.submit('DELETE_USERS', { userIds: [userIds[0]] }), 'deleteUsersResult');
  resultOf(await root.submit('CREATE_USERS_V4', users('d')), 'createUsersResult');
  const rootUsers = users('1', '2', '3', '4', '5').users.map(({ userTags: _, ...user }) => user);
  const sub = { subOrganizationName: 'Full', rootQuorumThreshold: 1, rootUsers };
  refused(await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', sub), wanted);
});

test('lasting keys of a user: one more is refused, whoever adds it', async () => {
  const root = await newOrganization('Lasting');
  const mine = newKeys();
  const three = { ...userWith('Three', [newKeys(), newKeys(), newKeys()]), userTags: [] };
  refused(await root.submit('CREATE_USERS_V4', { users: [three] }), LASTING);
  const one = { ...userWith('One', [mine]), userTags: [] };
  const [userId] = resultOf(await root.submit('CREATE_USERS_V4', { users: [one] }), 'createUsersResult').userIds;
  const add = (client: Client, apiKeys: object[]) => client.submit('CREATE_API_KEYS_V2', { userId, apiKeys });
  refused(await add(root, [apiKey(newKeys()), apiKey(newKeys())]), LASTING);
  const { apiKeyIds } = resultOf(await add(root.as(mine), [apiKey(newKeys())]), 'createApiKeysResult');
  refused(await add(root.as(mine), [apiKey(newKeys())]), LASTING);
  resultOf(await add(root, [short('60')]), 'createApiKeysResult');
  resultOf(await root.submit('DELETE_API_KEYS', { userId, apiKeyIds }), 'deleteApiKeysResult');
  resultOf(await add(root, [apiKey(newKeys())]), 'createApiKeysResult');
});

test('no expiring key where none may be', async () => {
  const { root, credentials } = await sharedInstance({ LIMIT_EXPIRING_API_KEYS: '0' });
  const apiKeys = [apiKey(newKeys(), { expirationSeconds: '60' })];
  refused(await root.submit('CREATE_API_KEYS_V2', { userId: credentials.userId, apiKeys }), EXPIRING);
});

test('expiring keys of a user: expired ones make room first, then the oldest', async () => {
  const root = await newOrganization('Expiring');
  const [userId] = resultOf(await root.submit('CREATE_USERS_V4', users('Expiring')), 'createUsersResult').userIds;
  const [lasting] = await keysOf(root, userId);
  const add = async (...apiKeys: object[]): Promise<string[]> =>
    resultOf(await root.submit('CREATE_API_KEYS_V2', { userId, apiKeys }), 'createApiKeysResult').apiKeyIds;
  const [long] = await add(short('1000'));
  const [brief] = await add(short('10'));
  assert.deepEqual((await keysOf(root, userId)).toSorted(), [lasting, long, brief].toSorted());
  instance.clock.advance(11_000);
  const [next] = await add(short('1000'));
  assert.deepEqual((await keysOf(root, userId)).toSorted(), [lasting, long, next].toSorted(), 'the expired one made room');
  const [newest] = await add(short('1000'));
  assert.deepEqual((await keysOf(root, userId)).toSorted(), [lasting, next, newest].toSorted(), 'the oldest one made room');
  await add(apiKey(newKeys()));
  assert.equal((await keysOf(root, userId)).length, 4, 'a lasting key pushes nobody out');
  const before = await keysOf(root, userId);
  const many = await add(short('60'), short('70'), short('5'), short('80'));
  assert.equal(new Set(many).size, 4);
  const lastOnes = [...before.filter((id) => ![next, newest].includes(id)), ...many.slice(2)];
  assert.deepEqual((await keysOf(root, userId)).toSorted(), lastOnes.toSorted(), 'of many in one request the last stay');
  const twice = short('60');
  const same = await root.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [twice, short('60'), short('60'), twice] });
  refused(same, [400, 'REQUEST_INVALID', /twice|already/]);
  assert.deepEqual((await keysOf(root, userId)).toSorted(), lastOnes.toSorted());
});

test('keys of a user that are made at the same time', async () => {
  const root = await newOrganization('Keys at once');
  const [userId] = resultOf(await root.submit('CREATE_USERS_V4', users('Many')), 'createUsersResult').userIds;
  const lasting = await Promise.all(
    Array.from({ length: 6 }, () => root.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(newKeys())] })),
  );
  assert.deepEqual(lasting.map(({ status }) => status).sort(), [200, ...Array(5).fill(429)]);
  const expiring = await Promise.all(
    Array.from({ length: 6 }, () => root.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [short('1000')] })),
  );
  assert.deepEqual(new Set(expiring.map(({ status }) => status)), new Set([200]));
  assert.equal((await keysOf(root, userId)).length, 4, 'two lasting ones, and the two newest of the others');
});

test('a key that made room is refused at once', async () => {
  const root = await newOrganization('Pushed out');
  const old = newKeys();
  const [userId] = resultOf(await root.submit('CREATE_USERS_V4', users('Pushed')), 'createUsersResult').userIds;
  const first = { userId, apiKeys: [apiKey(old, { expirationSeconds: '1000' })] };
  resultOf(await root.submit('CREATE_API_KEYS_V2', first), 'createApiKeysResult');
  assert.equal((await root.as(old).query('whoami')).status, 200);
  const more = { userId, apiKeys: [short('1000'), short('1000')] };
  resultOf(await root.as(old).submit('CREATE_API_KEYS_V2', more), 'createApiKeysResult');
  assert.equal((await root.as(old).query('whoami')).status, 401, 'though it added them itself');
});
