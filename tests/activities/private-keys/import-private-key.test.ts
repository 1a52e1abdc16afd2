import assert from 'node:assert/strict';
import { createECDH } from 'node:crypto';
import { test } from 'node:test';
import { base58 } from '@scure/base';
import { createKeyPairFromPrivateKeyBytes, getAddressFromPublicKey } from '@solana/kit';
import { privateKeyToAddress, sign } from 'viem/accounts';
import { approvedBy, denied, newPolicy, signing } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { newTarget } from '../../support/published.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import {
  exportedKey,
  type Importer,
  initPrivateKeyImport,
  newPrivateKey,
  privateKeyOf,
  sealKey,
  sealMnemonic,
} from '../custody.ts';
import { count, refusedToNobody } from '../support.ts';

const instance = await sharedInstance();
const root: Importer = { client: instance.root, userId: instance.credentials.userId };

const TYPE = 'IMPORT_PRIVATE_KEY';
const KEY = 'importPrivateKeyResult';
const AT = 'parameters.encryptedBundle';
const K1 = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const ETHEREUM = { curve: 'CURVE_SECP256K1', addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] };
const SOLANA = { curve: 'CURVE_ED25519', addressFormats: ['ADDRESS_FORMAT_SOLANA'] };
const COMPRESSED = { curve: 'CURVE_P256', addressFormats: ['ADDRESS_FORMAT_COMPRESSED'] };
const ORDER_K1 = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const ORDER_P256 = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

type Wanted = typeof ETHEREUM;
const hex = (n: bigint) => n.toString(16).padStart(64, '0');

function pointOf(key: string, curve: 'secp256k1' | 'prime256v1', form: 'compressed' | 'uncompressed'): string {
  const ecdh = createECDH(curve);
  ecdh.setPrivateKey(key, 'hex');
  return ecdh.getPublicKey('hex', form);
}

async function solanaAddress(key: string): Promise<string> {
  return getAddressFromPublicKey((await createKeyPairFromPrivateKeyBytes(Uint8Array.from(Buffer.from(key, 'hex')))).publicKey);
}

/** By another implementation. */
const addressOf = async (key: string, { curve }: Wanted): Promise<string> => {
  if (curve === ETHEREUM.curve) return privateKeyToAddress(`0x${key}`);
  return curve === SOLANA.curve ? solanaAddress(key) : pointOf(key, 'prime256v1', 'compressed');
};

let made = 0;
const parametersOf = ({ userId }: Importer, encryptedBundle: string, wanted: object = ETHEREUM) => ({
  userId,
  privateKeyName: `imported ${++made}`,
  encryptedBundle,
  ...wanted,
});
const bring = (who: Importer, encryptedBundle: string, wanted?: object) =>
  who.client.submit(TYPE, parametersOf(who, encryptedBundle, wanted));

/** What a client does: asks for a key, seals to it, sends that. */
const sealed = async (key: string, format?: 'HEXADECIMAL' | 'SOLANA') =>
  sealKey(root, await initPrivateKeyImport(root), key, format);
const importKey = async (key: string, wanted?: object) => resultOf(await bring(root, await sealed(key), wanted), KEY);
const shown = async (privateKeyId: string) => (await instance.root.query('get_private_key', { privateKeyId })).body.privateKey;

test('a key of each curve signs as its standard says; it is marked, shown to nobody, and exports as it came', async () => {
  const viem = await sign({ hash: `0x${'ab'.repeat(32)}`, privateKey: `0x${K1}` });
  // RFC 6979, A.2.5, with the lower of the two S.
  const p256 = 'c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721';
  const r = 'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716';
  const s = hex(ORDER_P256 - 0xf7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8n);
  // RFC 8032, 7.1, test 2.
  const ed = '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb';
  const R = '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da';
  const S = '085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00';
  for (const [key, wanted, payload, hash, signature] of [
    [K1, ETHEREUM, 'ab'.repeat(32), 'NO_OP', viem.r.slice(2) + viem.s.slice(2)],
    [p256, COMPRESSED, Buffer.from('sample').toString('hex'), 'SHA256', r + s],
    [ed, SOLANA, '72', 'NOT_APPLICABLE', R + S],
  ] as const) {
    const answer = await bring(root, await sealed(key), wanted);
    const { privateKeyId, addresses, ...others } = resultOf(answer, KEY);
    const address = await addressOf(key, wanted);
    assert.deepEqual([others, addresses], [{}, [{ format: wanted.addressFormats[0], address }]]);
    for (const signWith of [privateKeyId, address]) {
      const parameters = { ...signing(signWith, payload), hashFunction: `HASH_FUNCTION_${hash}` };
      const signed = resultOf(await instance.root.submit('SIGN_RAW_PAYLOAD_V2', parameters), 'signRawPayloadResult');
      assert.equal(signed.r + signed.s, signature, wanted.curve);
    }
    const stored = await instance.root.query('get_activity', { activityId: answer.body.activity.id });
    for (const text of [answer.text, stored.text, (await instance.root.query('list_activities')).text])
      for (const form of ['hex', 'base64'] as const) assert.ok(!text.includes(Buffer.from(key, 'hex').toString(form)));
    const { exported, imported, curve, privateKeyTags } = await shown(privateKeyId);
    assert.deepEqual([imported, exported, curve, privateKeyTags], [true, false, wanted.curve, []]);
    assert.equal(await privateKeyOf(instance.root, privateKeyId), key);
    assert.deepEqual([(await shown(privateKeyId)).imported, (await shown(privateKeyId)).exported], [true, true]);
  }
});

test('in the forms that people have keys in', async () => {
  const { addresses } = await importKey(`0x${K1.toUpperCase()}`);
  assert.equal(addresses[0].address, privateKeyToAddress(`0x${K1}`));
  const seed = '37'.repeat(32);
  const address = await solanaAddress(seed);
  const text = base58.encode(Uint8Array.from([...Buffer.from(seed, 'hex'), ...base58.decode(address)]));
  const made = resultOf(await bring(root, await sealed(text, 'SOLANA'), SOLANA), KEY);
  assert.equal(made.addresses[0].address, address);
  const target = newTarget();
  const parameters = { privateKeyId: made.privateKeyId, targetPublicKey: target.publicKeyUncompressed };
  const { exportBundle } = resultOf(await instance.root.submit('EXPORT_PRIVATE_KEY', parameters), 'exportPrivateKeyResult');
  assert.equal(await exportedKey(instance.root, exportBundle, target, 'SOLANA'), text);
});

test('the smallest and the greatest key of each curve, and none beyond; what is refused leaves the key of the import', async () => {
  for (const [wanted, valid, beyond] of [
    [ETHEREUM, [1n, ORDER_K1 - 1n], [0n, ORDER_K1, ORDER_K1 + 1n, 2n ** 256n - 1n]],
    [COMPRESSED, [1n, ORDER_P256 - 1n], [0n, ORDER_P256, ORDER_P256 + 1n, 2n ** 256n - 1n]],
    [SOLANA, [0n, 2n ** 256n - 1n], []],
  ] as const) {
    for (const key of valid) {
      const importBundle = await initPrivateKeyImport(root);
      const others = [...beyond.map(hex), ...[31, 33, 64].map((bytes) => '11'.repeat(bytes))];
      const bundles = others.map((text) => sealKey(root, importBundle, text));
      for (const text of ['', hex(key), 'abandon about']) bundles.push(sealMnemonic(root, importBundle, text));
      const text = new RegExp(`must hold a private key of ${wanted.curve}: 32 bytes within the curve's range`);
      for (const bundle of bundles) refused(await bring(root, await bundle, wanted), [400, 'REQUEST_INVALID', text], AT);
      const { addresses } = resultOf(await bring(root, await sealKey(root, importBundle, hex(key)), wanted), KEY);
      assert.equal(addresses[0].address, await addressOf(hex(key), wanted));
    }
  }
});

test('every address that is asked for, each once; a wrong one or a taken name leaves nothing but the key of the import', async () => {
  const { client } = root;
  await newPrivateKey(client, 'Taken');
  const before = await count(client, 'list_private_keys', 'privateKeys');
  const good = parametersOf(root, await sealed(K1));
  const formats = (...names: string[]) => ({ addressFormats: names.map((name) => `ADDRESS_FORMAT_${name}`) });
  const at = (i: number) => `parameters.addressFormats[${i}]`;
  for (const [more, field, text] of [
    [formats('SOLANA'), at(0), /invalid curve: ADDRESS_FORMAT_SOLANA is for CURVE_ED25519/],
    [formats('ETHEREUM', 'ETHEREUM', 'SOLANA'), at(2), /invalid curve/],
    [{ curve: 'CURVE_ED25519' }, at(0), /invalid curve: ADDRESS_FORMAT_ETHEREUM is for CURVE_SECP256K1/],
    [{ curve: 'CURVE_P256' }, at(0), /invalid curve/],
    [{ privateKeyName: 'Taken' }, 'parameters.privateKeyName', /label must be unique/],
  ] as const)
    refused(await client.submit(TYPE, { ...good, ...more }), [400, 'REQUEST_INVALID', text], field);
  assert.equal(await count(client, 'list_private_keys', 'privateKeys'), before);
  const twice = formats('UNCOMPRESSED', 'ETHEREUM', 'UNCOMPRESSED');
  const { addresses } = resultOf(await client.submit(TYPE, { ...good, ...twice }), KEY);
  assert.deepEqual(addresses, [
    { format: 'ADDRESS_FORMAT_UNCOMPRESSED', address: pointOf(K1, 'secp256k1', 'uncompressed') },
    { format: 'ADDRESS_FORMAT_ETHEREUM', address: privateKeyToAddress(`0x${K1}`) },
  ]);
});

test('to have been imported is not to have been exported; of the same key twice, one goes and the other one signs', async () => {
  const [one, two] = [await importKey('21'.repeat(32)), await importKey('21'.repeat(32))];
  assert.deepEqual(one.addresses, two.addresses);
  resultOf(await instance.root.submit('DISABLE_PRIVATE_KEY', { privateKeyId: one.privateKeyId }), 'disablePrivateKeyResult');
  const still = await instance.root.submit('SIGN_RAW_PAYLOAD_V2', signing(one.addresses[0].address));
  resultOf(still, 'signRawPayloadResult');
  const remove = (id: string, more = {}) => instance.root.submit('DELETE_PRIVATE_KEYS', { privateKeyIds: [id], ...more });
  const byAddress = () => instance.root.submit('SIGN_RAW_PAYLOAD_V2', signing(one.addresses[0].address));
  refused(await remove(one.privateKeyId), [400, 'REQUEST_INVALID', /private key has not been exported/]);
  resultOf(await remove(one.privateKeyId, { deleteWithoutExport: true }), 'deletePrivateKeysResult');
  resultOf(await byAddress(), 'signRawPayloadResult');
  await privateKeyOf(instance.root, two.privateKeyId);
  resultOf(await remove(two.privateKeyId), 'deletePrivateKeysResult');
  refused(await byAddress(), [404, 'UNSPECIFIED', /signer not found/]);
  assert.deepEqual((await importKey('21'.repeat(32))).addresses, one.addresses);
});

test('a user without permission is refused, until a policy allows it; policies see that a key was imported', async () => {
  const { client, userId } = await instance.newUser('Imports');
  const own = { client, userId };
  const consensus = approvedBy(userId);
  await refusedToNobody(instance, TYPE, parametersOf(own, '{}'));
  denied(await bring(own, '{}'));
  await newPolicy(instance.root, { condition: "activity.resource == 'PRIVATE_KEY' && activity.action == 'IMPORT'", consensus });
  const { privateKeyId } = resultOf(await bring(own, await sealKey(own, await initPrivateKeyImport(own), K1)), KEY);
  await newPolicy(instance.root, { condition: "activity.action == 'EXPORT' && !private_key.imported", consensus });
  const take = (id: string) =>
    client.submit('EXPORT_PRIVATE_KEY', { privateKeyId: id, targetPublicKey: newTarget().publicKeyUncompressed });
  denied(await take(privateKeyId));
  resultOf(await take((await newPrivateKey(instance.root, 'Made here')).privateKeyId), 'exportPrivateKeyResult');
});

test('bad parameters are named', async () => {
  const good = { userId: root.userId, privateKeyName: 'Bad', encryptedBundle: '{}', curve: 'CURVE_P256', addressFormats: [] };
  await refusesEach(instance.root, TYPE, [
    [{ ...good, encryptedBundle: '' }, AT, /JSON text that the client sealed/],
    [{ ...good, encryptedBundle: 'x'.repeat(16_385) }, AT, /16384/],
  ]);
});
