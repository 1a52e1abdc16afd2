import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ethereumAccount, resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();
let walletId: string;
before(async () => {
  walletId = resultOf(
    await instance.root.submit('CREATE_WALLET', { walletName: 'Main', accounts: [ethereumAccount()] }),
    'createWalletResult',
  ).walletId;
});

const TYPE = 'CREATE_WALLET_ACCOUNTS';
const KEY = 'createWalletAccountsResult';
const listed = async () => (await instance.root.query('list_wallet_accounts', { walletId })).body.accounts;

test('further accounts of a wallet, in order', async () => {
  const accounts = [3, 1, 2].map((i) => ethereumAccount(i));
  const { addresses } = resultOf(await instance.root.submit(TYPE, { walletId, accounts }), KEY);
  const [, ...added] = await listed();
  assert.deepEqual(
    added.map((a: { address: string; path: string }) => [a.address, a.path]),
    accounts.map((a, i) => [addresses[i], a.path]),
  );
  assert.equal(new Set(addresses).size, 3);
});

test('persist: false shows the addresses that persisting gives later, and keeps nothing', async () => {
  const before = await listed();
  const accounts = [ethereumAccount(40), { ...ethereumAccount(40), addressFormat: 'ADDRESS_FORMAT_COMPRESSED' }];
  const shown = resultOf(await instance.root.submit(TYPE, { walletId, accounts, persist: false }), KEY);
  assert.deepEqual(await listed(), before);
  const sign = {
    signWith: shown.addresses[0],
    payload: '00',
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_SHA256',
  };
  refused(await instance.root.submit('SIGN_RAW_PAYLOAD_V2', sign), [404, 'UNSPECIFIED', /signer not found/]);
  // The same accounts can be shown again, also once they exist.
  assert.deepEqual(resultOf(await instance.root.submit(TYPE, { walletId, accounts, persist: false }), KEY), shown);
  const kept = resultOf(await instance.root.submit(TYPE, { walletId, accounts, persist: true }), KEY);
  assert.deepEqual(kept, shown);
  assert.deepEqual(resultOf(await instance.root.submit(TYPE, { walletId, accounts, persist: false }), KEY), shown);
  resultOf(await instance.root.submit('SIGN_RAW_PAYLOAD_V2', sign), 'signRawPayloadResult');
});

test('a path that the wallet has is refused, and everything with it; another format of the path is not', async () => {
  const before = await listed();
  const answer = await instance.root.submit(TYPE, { walletId, accounts: [ethereumAccount(50), ethereumAccount(0)] });
  refused(answer, [400, 'REQUEST_INVALID', /invalid path: wallet account already exists/], 'parameters.accounts[1].path');
  const marked = { ...ethereumAccount(0), path: ethereumAccount(0).path.replaceAll("'", 'h') };
  const again = await instance.root.submit(TYPE, { walletId, accounts: [ethereumAccount(50), marked] });
  refused(again, [400, 'REQUEST_INVALID', /invalid path: wallet account already exists/], 'parameters.accounts[1].path');
  assert.deepEqual(await listed(), before);
  const other = { ...ethereumAccount(0), addressFormat: 'ADDRESS_FORMAT_UNCOMPRESSED' };
  resultOf(await instance.root.submit(TYPE, { walletId, accounts: [other] }), KEY);
});

test('an account name that the organization has is refused', async () => {
  resultOf(await instance.root.submit(TYPE, { walletId, accounts: [{ ...ethereumAccount(60), name: 'Cold' }] }), KEY);
  const answer = await instance.root.submit(TYPE, { walletId, accounts: [{ ...ethereumAccount(61), name: 'Cold' }] });
  refused(answer, [400, 'REQUEST_INVALID', /name must be unique/], 'parameters.accounts[0].name');
});

test('an unknown wallet, and the wallet of another organization', async () => {
  const made = await agreed(pair, 'CREATE_WALLET', { walletName: 'Theirs', accounts: [] });
  const theirs = resultOf(made, 'createWalletResult').walletId;
  for (const id of [NOBODY, theirs])
    for (const persist of [true, false]) {
      const answer = await instance.root.submit(TYPE, { walletId: id, accounts: [ethereumAccount()], persist });
      refused(answer, [404, 'UNSPECIFIED', /wallet not found/]);
    }
});

test('bad parameters are named', async () => {
  await refusesEach(instance.root, TYPE, [
    [{ walletId, accounts: Array(1001).fill(ethereumAccount()) }, 'parameters.accounts', /1000/],
    [{ walletId, accounts: [{ ...ethereumAccount(), path: 'm/x' }] }, 'parameters.accounts[0].path', /invalid path/],
    [{ walletId, accounts: [ethereumAccount(80), ethereumAccount(80)] }, 'parameters.accounts[1].path', /already exists/],
    [
      { walletId, accounts: [{ ...ethereumAccount(), curve: 'CURVE_ED25519' }] },
      'parameters.accounts[0].addressFormat',
      /invalid curve/,
    ],
  ]);
});
