import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist as english } from '@scure/bip39/wordlists/english.js';
import { recoverAddress } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { approvedBy, denied, newPolicy, newWallet, signing } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { newTarget, publishedKey } from '../../support/published.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { exportedMnemonic, exportedText, mnemonicOf } from '../custody.ts';
import { agreed, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'EXPORT_WALLET';
const KEY = 'exportWalletResult';
const shown = async (walletId: string) => (await instance.root.query('get_wallet', { walletId })).body.wallet;

test('the published package opens the bundle: the mnemonic derives the wallet’s addresses again', async () => {
  const { root } = instance;
  const { walletId, addresses } = await newWallet(root, 3);
  const target = newTarget();
  const answer = await root.submit(TYPE, { walletId, targetPublicKey: target.publicKeyUncompressed });
  const result = resultOf(answer, KEY);
  assert.deepEqual([Object.keys(result), result.walletId], [['walletId', 'exportBundle'], walletId]);
  const mnemonic = await exportedMnemonic(root, result.exportBundle, target);
  assert.equal(mnemonic.split(' ').length, 12);
  for (const [addressIndex, address] of addresses.entries())
    assert.equal(mnemonicToAccount(mnemonic, { addressIndex }).address, address);
  assert.ok(!answer.text.includes(mnemonic) && !answer.text.includes(Buffer.from(mnemonic).toString('hex')));
});

test('the bundle is for this target and this organization, and signed by the published key', async () => {
  const { root } = instance;
  const { walletId } = await newWallet(root);
  const target = newTarget();
  const { exportBundle } = resultOf(await root.submit(TYPE, { walletId, targetPublicKey: target.publicKeyUncompressed }), KEY);
  const bundle = JSON.parse(exportBundle);
  assert.deepEqual(Object.keys(bundle), ['version', 'data', 'dataSignature', 'enclaveQuorumPublic']);
  assert.equal(bundle.version, 'v1.0.0');
  assert.equal(bundle.enclaveQuorumPublic, await publishedKey(instance.url, 'bundle-signer'));
  const inner = JSON.parse(Buffer.from(bundle.data, 'hex').toString());
  assert.deepEqual(Object.keys(inner), ['encappedPublic', 'ciphertext', 'organizationId']);
  assert.equal(inner.organizationId, root.organizationId);
  await assert.rejects(exportedMnemonic(root, exportBundle, newTarget()));
  await assert.rejects(exportedMnemonic(pair.clients[0], exportBundle, target), /organization id does not match/);
  const forged = JSON.stringify({ ...bundle, data: bundle.data.replace(/^7b/, '5b') });
  await assert.rejects(exportedMnemonic(root, forged, target), /failed to verify enclave signature/);
});

test('marked exported from then on, and goes on signing', async () => {
  const { root } = instance;
  const { walletId, addresses } = await newWallet(root);
  assert.equal((await shown(walletId)).exported, false);
  const mnemonic = await mnemonicOf(root, walletId);
  assert.deepEqual([(await shown(walletId)).exported, (await shown(walletId)).imported], [true, false]);
  assert.equal(await mnemonicOf(root, walletId), mnemonic, 'as often as asked for');
  const { r, s, v } = resultOf(
    await root.submit('SIGN_RAW_PAYLOAD_V2', { ...signing(addresses[0]!, 'ab'.repeat(32)), hashFunction: 'HASH_FUNCTION_NO_OP' }),
    'signRawPayloadResult',
  );
  const signature = { r: `0x${r}`, s: `0x${s}`, yParity: Number(v) } as const;
  assert.equal(await recoverAddress({ hash: `0x${'ab'.repeat(32)}`, signature }), mnemonicToAccount(mnemonic).address);
});

test('a compressed target, in either case of hex', async () => {
  const { walletId } = await newWallet(instance.root);
  const mnemonic = await mnemonicOf(instance.root, walletId);
  const target = newTarget();
  for (const targetPublicKey of [target.publicKey, target.publicKeyUncompressed.toUpperCase()]) {
    const { exportBundle } = resultOf(await instance.root.submit(TYPE, { walletId, targetPublicKey }), KEY);
    assert.equal(await exportedMnemonic(instance.root, exportBundle, target), mnemonic);
  }
});

test('the same entropy in each of the nine languages', async () => {
  const made = await instance.root.submit('CREATE_WALLET', { walletName: 'Words', accounts: [], mnemonicLength: 24 });
  const { walletId } = resultOf(made, 'createWalletResult');
  const entropy = mnemonicToEntropy(await mnemonicOf(instance.root, walletId), english);
  const languages = [
    'english',
    'simplified-chinese',
    'traditional-chinese',
    'czech',
    'french',
    'italian',
    'japanese',
    'korean',
    'spanish',
  ];
  const require = createRequire(import.meta.url);
  for (const name of languages) {
    const { wordlist } = require(`@scure/bip39/wordlists/${name}.js`) as { wordlist: string[] };
    const target = newTarget();
    const language = `MNEMONIC_LANGUAGE_${name.toUpperCase().replace('-', '_')}`;
    const parameters = { walletId, targetPublicKey: target.publicKeyUncompressed, language };
    const { exportBundle } = resultOf(await instance.root.submit(TYPE, parameters), KEY);
    const words = await exportedText(instance.root, exportBundle, target);
    assert.equal(words, entropyToMnemonic(entropy, wordlist), name);
    assert.deepEqual(mnemonicToEntropy(words, wordlist), entropy, name);
  }
});

test('an unknown wallet, and the wallet of another organization', async () => {
  const theirs = resultOf(await agreed(pair, 'CREATE_WALLET', { walletName: 'Theirs', accounts: [] }), 'createWalletResult');
  for (const walletId of [NOBODY, theirs.walletId]) {
    const answer = await instance.root.submit(TYPE, { walletId, targetPublicKey: newTarget().publicKeyUncompressed });
    refused(answer, [404, 'UNSPECIFIED', /wallet not found/]);
  }
  assert.equal((await pair.parent.query('get_wallet', { walletId: theirs.walletId })).body.wallet.exported, false);
});

test('bad parameters are named, and the wallet is not marked', async () => {
  const { walletId } = await newWallet(instance.root);
  const targetPublicKey = newTarget().publicKeyUncompressed;
  const at = 'parameters.targetPublicKey';
  await refusesEach(instance.root, TYPE, [
    [{ walletId, targetPublicKey: '' }, at, /P-256 public key in hex/],
    [{ walletId, targetPublicKey: 'xyz' }, at, /P-256 public key in hex/],
    [{ walletId, targetPublicKey: `0x${targetPublicKey.slice(0, 128)}` }, at, /P-256 public key in hex/],
    [{ walletId, targetPublicKey: targetPublicKey.slice(0, 128) }, at, /P-256 public key/],
    [{ walletId, targetPublicKey: `04${'11'.repeat(64)}` }, at, /P-256 public key/],
    [{ walletId, targetPublicKey: `${targetPublicKey}00` }, at, /65 or 33 bytes/],
    [{ walletId, targetPublicKey: `0x${targetPublicKey}` }, at, /without 0x/],
  ]);
  assert.equal((await shown(walletId)).exported, false);
});

test('a policy names the one key that somebody may export to', async () => {
  const { client, userId } = await instance.newUser('Backup');
  const { walletId } = await newWallet(instance.root);
  const target = newTarget();
  const type = "activity.type == 'ACTIVITY_TYPE_EXPORT_WALLET'";
  await newPolicy(instance.root, {
    condition: `${type} && activity.params.target_public_key == '${target.publicKeyUncompressed}'`,
    consensus: approvedBy(userId),
  });
  for (const { publicKeyUncompressed } of [newTarget(), newTarget()])
    denied(await client.submit(TYPE, { walletId, targetPublicKey: publicKeyUncompressed }));
  assert.equal((await shown(walletId)).exported, false);
  for (const targetPublicKey of [target.publicKeyUncompressed, target.publicKeyUncompressed.toUpperCase(), target.publicKey]) {
    const { exportBundle } = resultOf(await client.submit(TYPE, { walletId, targetPublicKey }), KEY);
    assert.equal((await exportedMnemonic(client, exportBundle, target)).split(' ').length, 12);
  }
});

test('policies see the wallet: only once, only this one, never an imported one', async () => {
  const { client, userId } = await instance.newUser('Once');
  const [mine, other] = [await newWallet(instance.root), await newWallet(instance.root)];
  const { walletName } = await shown(mine.walletId);
  await newPolicy(instance.root, {
    condition: `activity.action == 'EXPORT' && wallet.exported == false && wallet.imported == false && wallet.label == '${walletName}'`,
    consensus: approvedBy(userId),
  });
  const targetPublicKey = newTarget().publicKeyUncompressed;
  denied(await client.submit(TYPE, { walletId: other.walletId, targetPublicKey }));
  denied(await client.submit(TYPE, { walletId: NOBODY, targetPublicKey }));
  resultOf(await client.submit(TYPE, { walletId: mine.walletId.toUpperCase(), targetPublicKey }), KEY);
  denied(await client.submit(TYPE, { walletId: mine.walletId, targetPublicKey }));
});
