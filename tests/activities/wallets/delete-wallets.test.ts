import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy, newWallet, signing } from '../../e2e/authority.ts';
import { ethereumAccount, resultOf } from '../../support/client.ts';
import { newTarget } from '../../support/published.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { initWalletImport, mnemonicOf, sealMnemonic } from '../custody.ts';
import { agreed, count, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'DELETE_WALLETS';
const KEY = 'deleteWalletsResult';
const NO_WALLET: [number, string, RegExp] = [404, 'UNSPECIFIED', /wallet not found/];
const NO_SIGNER: [number, string, RegExp] = [404, 'UNSPECIFIED', /signer not found/];
const unexported = (id: string): [number, string, RegExp] => [
  400,
  'REQUEST_INVALID',
  new RegExp(`wallet has not been exported: ${id}`),
];

const sign = (address: string) => instance.root.submit('SIGN_RAW_PAYLOAD_V2', signing(address));
const shown = (walletId: string) => instance.root.query('get_wallet', { walletId });

async function stands({ walletId, addresses }: { walletId: string; addresses: string[] }): Promise<void> {
  assert.equal((await shown(walletId)).status, 200);
  assert.equal((await instance.root.query('list_wallet_accounts', { walletId })).body.accounts.length, addresses.length);
  for (const address of addresses) resultOf(await sign(address), 'signRawPayloadResult');
}

async function isGone({ walletId, addresses }: { walletId: string; addresses: string[] }): Promise<void> {
  const { root } = instance;
  refused(await shown(walletId), NO_WALLET);
  assert.deepEqual((await root.query('list_wallet_accounts', { walletId })).body.accounts, []);
  const targetPublicKey = newTarget().publicKeyUncompressed;
  refused(await root.submit('EXPORT_WALLET', { walletId, targetPublicKey }), NO_WALLET);
  refused(await root.submit('CREATE_WALLET_ACCOUNTS', { walletId, accounts: [ethereumAccount(9)] }), NO_WALLET);
  for (const address of addresses) {
    refused(await sign(address), NO_SIGNER);
    refused(await root.submit('EXPORT_WALLET_ACCOUNT', { address, targetPublicKey }), [404, 'UNSPECIFIED', /not found/]);
  }
}

test('only what was exported, with its accounts, keys and addresses; the name is free again', async () => {
  const { root } = instance;
  const accounts = [ethereumAccount(0), { ...ethereumAccount(1), name: 'Named' }];
  const parameters = { walletName: 'Leaves', accounts };
  const wallet = resultOf(await root.submit('CREATE_WALLET', parameters), 'createWalletResult');
  for (const more of [{}, { deleteWithoutExport: false }])
    refused(
      await root.submit(TYPE, { walletIds: [wallet.walletId], ...more }),
      unexported(wallet.walletId),
      'parameters.walletIds',
    );
  await stands(wallet);
  await mnemonicOf(root, wallet.walletId);
  const result = resultOf(await root.submit(TYPE, { walletIds: [wallet.walletId] }), KEY);
  assert.deepEqual(result, { walletIds: [wallet.walletId] });
  await isGone(wallet);
  refused(await root.submit(TYPE, { walletIds: [wallet.walletId] }), NO_WALLET);
  const again = resultOf(await root.submit('CREATE_WALLET', parameters), 'createWalletResult');
  assert.notEqual(again.walletId, wallet.walletId);
  await stands(again);
});

test('without export where that is said, and another wallet of the same mnemonic is not touched', async () => {
  const { root } = instance;
  const [wallet, empty] = [await newWallet(root, 2), await newWallet(root, 0)];
  const importer = { client: root, userId: instance.credentials.userId };
  const encryptedBundle = await sealMnemonic(importer, await initWalletImport(importer), await mnemonicOf(root, wallet.walletId));
  const accounts = [0, 1].map((i) => ethereumAccount(i));
  const copy = { userId: importer.userId, walletName: 'Copy', encryptedBundle, accounts };
  const imported = resultOf(await root.submit('IMPORT_WALLET', copy), 'importWalletResult');
  assert.deepEqual(imported.addresses, wallet.addresses);
  const walletIds = [wallet.walletId, empty.walletId.toUpperCase(), wallet.walletId];
  const result = resultOf(await root.submit(TYPE, { walletIds, deleteWithoutExport: true }), KEY);
  assert.deepEqual(new Set(result.walletIds), new Set([wallet.walletId, empty.walletId]));
  for (const { walletId } of [wallet, empty]) refused(await shown(walletId), NO_WALLET);
  await stands(imported);
  resultOf(await root.submit(TYPE, { walletIds: [imported.walletId], deleteWithoutExport: true }), KEY);
  await isGone(imported);
});

test('all of them, or none', async () => {
  const { root } = instance;
  const [exported, kept] = [await newWallet(root), await newWallet(root)];
  await mnemonicOf(root, exported.walletId);
  const made = await agreed(pair, 'CREATE_WALLET', { walletName: 'Theirs', accounts: [] });
  const theirs = resultOf(made, 'createWalletResult').walletId;
  for (const id of [NOBODY, theirs]) {
    const answer = await root.submit(TYPE, { walletIds: [exported.walletId, id, kept.walletId], deleteWithoutExport: true });
    refused(answer, [404, 'UNSPECIFIED', new RegExp(`wallet not found: parameters.walletIds names ${id}`)]);
  }
  refused(await root.submit(TYPE, { walletIds: [exported.walletId, kept.walletId] }), unexported(kept.walletId));
  await stands(exported);
  await stands(kept);
  assert.equal(await count(pair.parent, 'list_wallets', 'wallets'), 1);
});

test('the export of an account alone is not the wallet’s', async () => {
  const { walletId, addresses } = await newWallet(instance.root);
  const parameters = { address: addresses[0], targetPublicKey: newTarget().publicKeyUncompressed };
  resultOf(await instance.root.submit('EXPORT_WALLET_ACCOUNT', parameters), 'exportWalletAccountResult');
  refused(await instance.root.submit(TYPE, { walletIds: [walletId] }), unexported(walletId));
});

test('signing while it is deleted: signed before, or refused', async () => {
  const { walletId, addresses } = await newWallet(instance.root);
  const [removed, ...signed] = await Promise.all([
    instance.root.submit(TYPE, { walletIds: [walletId], deleteWithoutExport: true }),
    ...Array.from({ length: 6 }, () => sign(addresses[0]!)),
  ]);
  resultOf(removed!, KEY);
  for (const answer of signed) assert.ok(answer.status === 200 || answer.status === 404, answer.text);
  refused(await sign(addresses[0]!), NO_SIGNER);
});

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [
    [{ walletIds: [NOBODY, 'x'] }, 'parameters.walletIds[1]', /must be a UUID/],
    [{ walletIds: Array(101).fill(NOBODY) }, 'parameters.walletIds', /100/],
  ]));

test('policies are asked about all of the wallets, or about none', async () => {
  const { client, userId } = await instance.newUser('Cleans up');
  const [a, b, kept] = [await newWallet(instance.root), await newWallet(instance.root), await newWallet(instance.root)];
  for (const { walletId } of [a, b]) await mnemonicOf(instance.root, walletId);
  await newPolicy(instance.root, {
    condition: "activity.type == 'ACTIVITY_TYPE_DELETE_WALLETS' && wallets.all(w, w.exported)",
    consensus: approvedBy(userId),
  });
  const by = (...walletIds: string[]) => client.submit(TYPE, { walletIds, deleteWithoutExport: true });
  denied(await by(kept.walletId));
  denied(await by(a.walletId, kept.walletId));
  denied(await by(a.walletId, NOBODY));
  await stands(a);
  resultOf(await by(a.walletId, b.walletId), KEY);
  await stands(kept);
  denied(await by(a.walletId));
});
