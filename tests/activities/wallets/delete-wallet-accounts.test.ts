import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy, newWallet, signing } from '../../e2e/authority.ts';
import { ethereumAccount, resultOf } from '../../support/client.ts';
import { newTarget } from '../../support/published.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { mnemonicOf } from '../custody.ts';
import { agreed, refusedToNobody, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'DELETE_WALLET_ACCOUNTS';
const KEY = 'deleteWalletAccountsResult';
const NO_SIGNER: [number, string, RegExp] = [404, 'UNSPECIFIED', /signer not found/];
const unexported = (id: string): [number, string, RegExp] => [
  400,
  'WALLET_ACCOUNT_NOT_EXPORTED',
  new RegExp(`wallet account has not been exported: ${id}`),
];
const notPart = (id: string): [number, string, RegExp] => [
  400,
  'REQUEST_INVALID',
  new RegExp(`wallet account not part of your organization.*${id}`),
];

const sign = (address: string) => instance.root.submit('SIGN_RAW_PAYLOAD_V2', signing(address));

/** The ids of a wallet's accounts, in the order of their creation. */
async function idsOf(walletId: string, client = instance.root): Promise<string[]> {
  const { accounts } = (await client.query('list_wallet_accounts', { walletId })).body;
  return accounts.map((account: { walletAccountId: string }) => account.walletAccountId);
}

async function exportAccount(address: string): Promise<void> {
  const parameters = { address, targetPublicKey: newTarget().publicKeyUncompressed };
  resultOf(await instance.root.submit('EXPORT_WALLET_ACCOUNT', parameters), 'exportWalletAccountResult');
}

test('only what was exported, by itself or with its wallet; the wallet stays', async () => {
  const { root } = instance;
  const { walletId, addresses } = await newWallet(root, 4);
  const ids = (await idsOf(walletId)) as [string, string, string, string];
  for (const more of [{}, { deleteWithoutExport: false }])
    refused(await root.submit(TYPE, { walletAccountIds: [ids[0]], ...more }), unexported(ids[0]));
  await exportAccount(addresses[1]!);
  const result = resultOf(await root.submit(TYPE, { walletAccountIds: [ids[1]] }), KEY);
  assert.deepEqual(result, { walletAccountIds: [ids[1]] });
  refused(await sign(addresses[1]!), NO_SIGNER);
  refused(await root.submit(TYPE, { walletAccountIds: [ids[0]] }), unexported(ids[0]));
  assert.deepEqual(await idsOf(walletId), [ids[0], ids[2], ids[3]]);
  await mnemonicOf(root, walletId);
  resultOf(await root.submit(TYPE, { walletAccountIds: [ids[3], ids[0]] }), KEY);
  assert.deepEqual(await idsOf(walletId), [ids[2]]);
  for (const i of [0, 1, 3]) refused(await sign(addresses[i]!), NO_SIGNER);
  resultOf(await sign(addresses[2]!), 'signRawPayloadResult');
  assert.equal((await root.query('get_wallet', { walletId })).status, 200);
});

test('without export where that is said; the path and the name are free again, and derive the same address', async () => {
  const { root } = instance;
  const accounts = [{ ...ethereumAccount(), name: 'Named' }];
  const made = await root.submit('CREATE_WALLET', { walletName: 'Stays', accounts });
  const { walletId, addresses } = resultOf(made, 'createWalletResult');
  const [id] = (await idsOf(walletId)) as [string];
  resultOf(await root.submit(TYPE, { walletAccountIds: [id, id.toUpperCase(), id], deleteWithoutExport: true }), KEY);
  assert.deepEqual(await idsOf(walletId), []);
  refused(await root.query('get_wallet_account', { walletId, address: addresses[0] }), [404, 'UNSPECIFIED', /not found/]);
  refused(await root.submit(TYPE, { walletAccountIds: [id], deleteWithoutExport: true }), notPart(id));
  const again = await root.submit('CREATE_WALLET_ACCOUNTS', { walletId, accounts });
  assert.deepEqual(resultOf(again, 'createWalletAccountsResult').addresses, addresses);
  const [fresh] = (await idsOf(walletId)) as [string];
  assert.notEqual(fresh, id);
  resultOf(await sign(addresses[0]), 'signRawPayloadResult');
  refused(await root.submit(TYPE, { walletAccountIds: [fresh] }), unexported(fresh));
});

test('one of two accounts that share an address goes, and the other one signs', async () => {
  const { root } = instance;
  const bitcoin = (network: string) => ({ ...ethereumAccount(), addressFormat: `ADDRESS_FORMAT_BITCOIN_${network}_P2PKH` });
  const accounts = ['TESTNET', 'SIGNET'].map(bitcoin);
  const made = await root.submit('CREATE_WALLET', { walletName: 'Two formats', accounts });
  const { walletId, addresses } = resultOf(made, 'createWalletResult');
  assert.equal(addresses[0], addresses[1]);
  const ids = await idsOf(walletId);
  resultOf(await root.submit(TYPE, { walletAccountIds: [ids[0]], deleteWithoutExport: true }), KEY);
  resultOf(await sign(addresses[0]), 'signRawPayloadResult');
  resultOf(await root.submit(TYPE, { walletAccountIds: [ids[1]], deleteWithoutExport: true }), KEY);
  refused(await sign(addresses[0]), NO_SIGNER);
});

test('all of them, or none, also over several wallets', async () => {
  const { root } = instance;
  const [one, two] = [await newWallet(root, 2), await newWallet(root, 1)];
  const ids = [...(await idsOf(one.walletId)), ...(await idsOf(two.walletId))] as [string, string, string];
  const made = await agreed(pair, 'CREATE_WALLET', { walletName: 'Theirs', accounts: [ethereumAccount()] });
  const theirs = resultOf(made, 'createWalletResult').walletId;
  const [foreign] = (await idsOf(theirs, pair.parent)) as [string];
  for (const id of [NOBODY, foreign, one.walletId])
    refused(await root.submit(TYPE, { walletAccountIds: [...ids, id], deleteWithoutExport: true }), notPart(id));
  await exportAccount(one.addresses[0]!);
  refused(await root.submit(TYPE, { walletAccountIds: ids }), unexported(ids[1]));
  for (const address of [...one.addresses, ...two.addresses]) resultOf(await sign(address), 'signRawPayloadResult');
  resultOf(await root.submit(TYPE, { walletAccountIds: ids, deleteWithoutExport: true }), KEY);
  for (const address of [...one.addresses, ...two.addresses]) refused(await sign(address), NO_SIGNER);
  assert.equal((await idsOf(theirs, pair.parent)).length, 1);
});

test('a user without permission is refused, until a policy allows it', async () => {
  const { walletId, addresses } = await newWallet(instance.root);
  const parameters = { walletAccountIds: await idsOf(walletId), deleteWithoutExport: true };
  await refusedToNobody(instance, TYPE, parameters);
  resultOf(await sign(addresses[0]!), 'signRawPayloadResult');
  const { client, userId } = await instance.newUser('Cleans up');
  denied(await client.submit(TYPE, parameters));
  await newPolicy(instance.root, {
    condition: "activity.resource == 'WALLET' && activity.action == 'DELETE'",
    consensus: approvedBy(userId),
  });
  resultOf(await client.submit(TYPE, parameters), KEY);
});

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [
    [{ walletAccountIds: [NOBODY, 'x'] }, 'parameters.walletAccountIds[1]', /invalid wallet account UUID/],
    [{ walletAccountIds: Array(101).fill(NOBODY) }, 'parameters.walletAccountIds', /100/],
  ]));
