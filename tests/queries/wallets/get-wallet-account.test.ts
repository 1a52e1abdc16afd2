import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { getWalletAccount } from '../../../src/queries/wallets/get-wallet-account.ts';
import { ethereumAccount, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refusesEachQuery } from '../../support/refusals.ts';
import { missing } from '../support.ts';

const MISSING = /wallet account not found/;
const bitcoin = (network: string) => ({ ...ethereumAccount(2), addressFormat: `ADDRESS_FORMAT_BITCOIN_${network}_P2PKH` });

const instance = await sharedInstance();
let walletId: string;
let addresses: string[];
let listed: { walletAccountId: string; path: string; address: string }[];

const get = async (parameters: object) => {
  const answer = await instance.root.query('get_wallet_account', { walletId, ...parameters });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.account;
};

before(async () => {
  const solana = { curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' };
  const accounts = [
    { ...ethereumAccount(), name: 'Named' },
    ethereumAccount(1),
    { ...ethereumAccount(), ...solana },
    bitcoin('TESTNET'),
    bitcoin('SIGNET'),
  ];
  const made = await instance.root.submit('CREATE_WALLET', { walletName: 'W', accounts });
  ({ walletId, addresses } = resultOf(made, 'createWalletResult'));
  listed = (await instance.root.query('list_wallet_accounts', { walletId })).body.accounts;
});

test('by its address or its path, as the list shows it', async () => {
  for (const [i, account] of listed.slice(0, 3).entries()) {
    assert.deepEqual(await get({ address: addresses[i] }), account);
    assert.deepEqual(await get({ path: account.path }), account);
    assert.deepEqual(await get({ path: account.path.replaceAll("'", 'h'), address: '' }), account);
    assert.deepEqual(await get({ walletId: walletId.toUpperCase(), path: account.path }), account);
  }
  const { createdAt, updatedAt, walletAccountId, publicKey, ...rest } = await get({ address: addresses[0] });
  assert.deepEqual(rest, {
    ...ethereumAccount(),
    organizationId: instance.root.organizationId,
    walletId,
    address: addresses[0],
    name: 'Named',
    caip2Prefix: 'eip155',
  });
  assert.match(publicKey, /^0[23][0-9a-f]{64}$/);
  assert.deepEqual(createdAt, updatedAt);
  assert.ok(!('name' in (await get({ address: addresses[1] }))));
  for (const form of [addresses[0]!.toLowerCase(), `0x${addresses[0]!.slice(2).toUpperCase()}`])
    assert.deepEqual(await get({ address: form }), listed[0], 'as signing takes it, in any case');
  const body = { account: listed[2] };
  assert.deepEqual(getWalletAccount.result.parse(body), body, 'the answer has its declared shape');
});

test('the oldest one, where several share an address or a path', async () => {
  assert.equal(addresses[3], addresses[4]);
  assert.deepEqual(await get({ address: addresses[4] }), listed[3]);
  assert.deepEqual(await get({ path: ethereumAccount(2).path }), listed[3]);
});

test('by both, if they agree; by neither it is nothing', async () => {
  const [first, second] = listed;
  assert.deepEqual(await get({ address: first!.address, path: first!.path }), first);
  const parameters = { walletId, address: first!.address, path: second!.path };
  missing(await instance.root.query('get_wallet_account', parameters), MISSING);
  await refusesEachQuery(instance.root, 'get_wallet_account', [[{ walletId }, 'address', /by its address, its path, or both/]]);
});

test('what the wallet does not have, and the accounts of another wallet', async () => {
  const other = await instance.root.submit('CREATE_WALLET', { walletName: 'Other', accounts: [ethereumAccount(7)] });
  const theirs = resultOf(other, 'createWalletResult').addresses[0];
  for (const parameters of [
    { walletId, path: ethereumAccount(7).path },
    { walletId, address: theirs },
    { walletId, address: listed[0]!.path },
    { walletId, path: addresses[0] },
    { walletId: NOBODY, address: addresses[0] },
    { walletId: NOBODY, path: listed[0]!.path },
  ])
    missing(await instance.root.query('get_wallet_account', parameters), MISSING);
});

test('the parent reads it; elsewhere it is nothing', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const made = await sub.clients[0]!.submit('CREATE_WALLET', { walletName: 'Theirs', accounts: [ethereumAccount()] });
  const theirs = resultOf(made, 'createWalletResult');
  const { path } = ethereumAccount();
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  for (const by of [{ path }, { address: theirs.addresses[0] }]) {
    const { account } = (await parent.query('get_wallet_account', { walletId: theirs.walletId, ...by })).body;
    assert.deepEqual([account.organizationId, account.address], [sub.organizationId, theirs.addresses[0]]);
    const there = await instance.root.query('get_wallet_account', { walletId: theirs.walletId, ...by });
    const unknown = await instance.root.query('get_wallet_account', { walletId: NOBODY, ...by });
    missing(there, MISSING);
    assert.equal(there.text.replaceAll(theirs.walletId, NOBODY), unknown.text);
  }
});

test('bad parameters are named', () =>
  refusesEachQuery(instance.root, 'get_wallet_account', [
    [{ walletId: NOBODY, path: 'm'.repeat(257) }, 'path', /256/],
    [{ walletId: NOBODY, address: 'x'.repeat(257) }, 'address', /256/],
  ]));
