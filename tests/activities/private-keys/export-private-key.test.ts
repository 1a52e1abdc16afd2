import assert from 'node:assert/strict';
import { test } from 'node:test';
import { p256 } from '@noble/curves/nist.js';
import { base58 } from '@scure/base';
import { Keypair } from '@solana/web3.js';
import { ethers } from 'ethers';
import { approvedBy, denied, newPolicy, newWallet, signing } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { newTarget, publishedKey } from '../../support/published.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { exportedKey, newPrivateKey, privateKeyOf } from '../custody.ts';
import { agreed, refusedToNobody, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'EXPORT_PRIVATE_KEY';
const KEY = 'exportPrivateKeyResult';
const shown = async (privateKeyId: string) => (await instance.root.query('get_private_key', { privateKeyId })).body.privateKey;

test('the very key: it has the address and signs the same, and is marked exported', async () => {
  const { root } = instance;
  const { privateKeyId, addresses } = await newPrivateKey(root, 'One');
  assert.equal((await shown(privateKeyId)).exported, false);
  const target = newTarget();
  const answer = await root.submit(TYPE, { privateKeyId, targetPublicKey: target.publicKeyUncompressed });
  const result = resultOf(answer, KEY);
  assert.deepEqual([Object.keys(result), result.privateKeyId], [['privateKeyId', 'exportBundle'], privateKeyId]);
  assert.equal(JSON.parse(result.exportBundle).enclaveQuorumPublic, await publishedKey(instance.url, 'bundle-signer'));
  const key = await exportedKey(root, result.exportBundle, target);
  assert.ok(!answer.text.includes(key));
  assert.equal(ethers.computeAddress(`0x${key}`), addresses[0]!.address);
  assert.deepEqual([(await shown(privateKeyId)).exported, (await shown(privateKeyId)).imported], [true, false]);
  await assert.rejects(exportedKey(root, result.exportBundle, newTarget()));
  const digest = 'ef'.repeat(32);
  const toSign = { ...signing(privateKeyId, digest), hashFunction: 'HASH_FUNCTION_NO_OP' };
  const signed = resultOf(await root.submit('SIGN_RAW_PAYLOAD_V2', toSign), 'signRawPayloadResult');
  const own = new ethers.SigningKey(`0x${key}`).sign(`0x${digest}`);
  assert.deepEqual([`0x${signed.r}`, `0x${signed.s}`, Number(signed.v)], [own.r, own.s, own.yParity]);
  assert.equal(await privateKeyOf(root, privateKeyId), key, 'as often as asked for');
});

test('keys of the other curves, one in the form that Solana’s wallets take', async () => {
  const { root } = instance;
  const ed = await newPrivateKey(root, 'Ed', { curve: 'CURVE_ED25519', addressFormats: ['ADDRESS_FORMAT_SOLANA'] });
  const target = newTarget();
  const { exportBundle } = resultOf(
    await root.submit(TYPE, { privateKeyId: ed.privateKeyId, targetPublicKey: target.publicKey }),
    KEY,
  );
  const text = await exportedKey(root, exportBundle, target, 'SOLANA');
  assert.equal(Keypair.fromSecretKey(base58.decode(text)).publicKey.toBase58(), ed.addresses[0]!.address);
  const { privateKeyId } = await newPrivateKey(root, 'P', { curve: 'CURVE_P256', addressFormats: [] });
  const key = await privateKeyOf(root, privateKeyId);
  const publicKey = p256.getPublicKey(Uint8Array.from(Buffer.from(key, 'hex')), true);
  assert.equal(Buffer.from(publicKey).toString('hex'), (await shown(privateKeyId)).publicKey);
});

test('an unknown key, a wallet, a wallet account, and the key of another organization', async () => {
  const theirs = await agreed(pair, 'CREATE_PRIVATE_KEYS_V2', {
    privateKeys: [{ privateKeyName: 'Theirs', curve: 'CURVE_P256', privateKeyTags: [], addressFormats: [] }],
  });
  const { privateKeyId: other } = resultOf(theirs, 'createPrivateKeysResultV2').privateKeys[0];
  const { walletId } = await newWallet(instance.root);
  const { accounts } = (await instance.root.query('list_wallet_accounts', { walletId })).body;
  const targetPublicKey = newTarget().publicKeyUncompressed;
  for (const privateKeyId of [NOBODY, other, walletId, accounts[0].walletAccountId])
    refused(await instance.root.submit(TYPE, { privateKeyId, targetPublicKey }), [404, 'UNSPECIFIED', /private key not found/]);
  assert.equal((await pair.parent.query('get_private_key', { privateKeyId: other })).body.privateKey.exported, false);
});

test('a user without permission is refused, and the key is not marked', async () => {
  const { privateKeyId } = await newPrivateKey(instance.root, 'Forbidden');
  await refusedToNobody(instance, TYPE, { privateKeyId, targetPublicKey: newTarget().publicKeyUncompressed });
  assert.equal((await shown(privateKeyId)).exported, false);
});

test('bad parameters are named, and the key is not marked', async () => {
  const { privateKeyId } = await newPrivateKey(instance.root, 'Bad');
  const at = 'parameters.targetPublicKey';
  await refusesEach(instance.root, TYPE, [
    [{ privateKeyId, targetPublicKey: 'zz' }, at, /P-256 public key in hex/],
    [{ privateKeyId, targetPublicKey: `04${'00'.repeat(64)}` }, at, /P-256 public key/],
  ]);
  assert.equal((await shown(privateKeyId)).exported, false);
});

test('policies see the key and the target', async () => {
  const { client, userId } = await instance.newUser('Keys');
  const target = newTarget();
  const { privateKeyId } = await newPrivateKey(instance.root, 'Once only');
  await newPolicy(instance.root, {
    condition: [
      "activity.type == 'ACTIVITY_TYPE_EXPORT_PRIVATE_KEY'",
      `activity.params.target_public_key == '${target.publicKeyUncompressed}'`,
      `private_key.id == '${privateKeyId}' && private_key.label == 'Once only'`,
      'private_key.exported == false && private_key.imported == false && private_key.tags.count() == 0',
    ].join(' && '),
    consensus: approvedBy(userId),
  });
  const by = (id: string, to = target) => client.submit(TYPE, { privateKeyId: id, targetPublicKey: to.publicKeyUncompressed });
  denied(await by(privateKeyId, newTarget()));
  denied(await by((await newPrivateKey(instance.root, 'Another')).privateKeyId));
  denied(await by(NOBODY));
  resultOf(await by(privateKeyId), KEY);
  denied(await by(privateKeyId));
});
