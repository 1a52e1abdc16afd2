import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { toHex } from '../../src/base/bytes.ts';
import { publicKeyOf, signDigest } from '../../src/crypto/curves.ts';
import { encodeEcdsaSignature, parseEcdsaSignature } from '../../src/crypto/der.ts';
import { sha256 } from '../../src/crypto/hash.ts';
import { uncompressed } from '../../src/crypto/points.ts';
import {
  type ApiKeyCurve,
  importStampKey,
  parseStampPublicKey,
  type StampKey,
  type StampScheme,
  verifyStamp,
} from '../../src/crypto/stamp.ts';
import { burstVerifier } from '../../src/crypto/stamp-bursts.ts';
import { verifyInPool } from '../support/verify-in-pool.ts';
import { hex, seededBytes } from './vectors.ts';

const BODY = '{"organizationId":"00000000-0000-4000-8000-000000000001"}';
const K1 = '02f739f8c77b32f4d5f13265861febd76e7a9c61a1140d296b8c16302508870316';
const K2 = '038318535b54105d4a7aae60c08fc45f9687181b4fdfc625bd1a753fa7397fed75';
const K3 = '54dbf3006616c1afaec1ebceaa22a488b1856bfc7b0453a53fb097dd69fa64e5';

type Case = { name: string; scheme: StampScheme; publicKey: string; body: string; signature: string };

/** Stamps that published clients made, or that independent implementations made and published clients accept. */
const cases: readonly Case[] = [
  {
    name: 'P-256, low S',
    scheme: 'SIGNATURE_SCHEME_TK_API_P256',
    publicKey: K1,
    body: BODY,
    signature:
      '30440220651532e1e4823f994c1c8994fac4396db314232163d907be6aaf9bc815c5ac080220715da5f5454f1e5add77a316145cbf86ef6b90d9e23d0056c98f13029a309590',
  },
  {
    name: 'P-256, the same signature with high S',
    scheme: 'SIGNATURE_SCHEME_TK_API_P256',
    publicKey: K1,
    body: BODY,
    signature:
      '30450220651532e1e4823f994c1c8994fac4396db314232163d907be6aaf9bc815c5ac080221008ea25a09bab0e1a622885ce9eba34078cd7b69d3c4da9e2e2a2ab7c062328fc1',
  },
  {
    name: 'P-256, a sample from the published documentation',
    scheme: 'SIGNATURE_SCHEME_TK_API_P256',
    publicKey: '0327a50032e6f0631d5605b6ada32b779074f346e81b68e12801640f1c9ee03dae',
    body: '{"payload": "hello from TKHQ"}',
    signature:
      '304402203623defd618eb3e219970496407ebe92447317dad75e412bd4a6267c3b5e22230220245b740848a72d08b60d6c84f339737b63db3bcbadb3bd0dcb1bfb865715d8b5',
  },
  {
    name: 'P-256, a request of a published client with high S',
    scheme: 'SIGNATURE_SCHEME_TK_API_P256',
    publicKey: '020404a8505f87edc73f7a8f7a6dca61eb1b0b3617720c7161fab7970ce31c4e12',
    body: '{"type":"ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION","timestampMs":"1754952030221","organizationId":"35e5c619-ba95-417c-bb48-b16f1543aea0","parameters":{"deleteWithoutExport":true}}',
    signature:
      '3046022100d8188e89ef1330881fc2d951f2284467a462840acafc80115ae871847f6a1f93022100a07fcacd0614e2ea729fc7f5e7378a108a8267a18fa1551845487acabcd97403',
  },
  {
    name: 'secp256k1 over SHA-256',
    scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1',
    publicKey: K2,
    body: BODY,
    signature:
      '3045022100db729baad3d4ee741a37f474ab335db3be9060e5989f61126806e9f675c043f002203e974e03d48eab8e82d6f9e21dda5456e98f14a1286664455bdc94c6a6dcc19e',
  },
  {
    name: 'Ed25519',
    scheme: 'SIGNATURE_SCHEME_TK_API_ED25519',
    publicKey: K3,
    body: BODY,
    signature:
      'da7b380427b5791b093d3457901f53c51eb940197c8e0ab9c8b6e58f640b3c9c5ff63b5ede7c989e477f8c4a80d49be4b534baeed8a839015928c41a33fcc605',
  },
  {
    name: 'EIP-191',
    scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191',
    publicKey: K2,
    body: BODY,
    signature:
      '3044022069d63f7aa6170e2b968e38d1611238875bb23d131176631d9786db2e9d0e32d302202c247783ff12af8d48d7fc3c06ec85162a081bebd1526e5d081e96cd1a0d7d22',
  },
  {
    name: 'EIP-191, test data of a published wallet stamper',
    scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191',
    publicKey: K2,
    body: 'MESSAGE',
    signature:
      '30440220487cdb8a88f2f4044b701cbb116075c4cabe5fe4657a6358b395c0aab70694db02203453a8057e442bd1aff0ecabe8a82c831f0edd7f2158b7c1feb3de9b1f20309b',
  },
  {
    name: 'EIP-191, an integer that is not minimal, as the published wallet stamper writes it',
    scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191',
    publicKey: K2,
    body: '{"organizationId":"00000000-0000-4000-8000-000000000001","n":29}',
    signature:
      '304402200061054c7d200d8ddba960c1da3933c0819b431f0b5470e18996f43233c6ae4502201b21a949d7e96f69738cc1ee9e5629fabad0fa82c4e15e4f4c9c0027534724d6',
  },
];

for (const { name, scheme, publicKey, body, signature } of cases) {
  test(`stamp: ${name}`, async () => {
    const key = importStampKey(scheme, hex(publicKey))!;
    const [bytes, given] = [Buffer.from(body), hex(signature)];
    assert.equal(verifyStamp(key, bytes, given), true);
    assert.equal(await verifyInPool(key, bytes, given), true);
    for (const [otherBody, otherSignature] of [
      [Buffer.from(`${body} `), given],
      [bytes, Buffer.concat([given, Buffer.of(0)])],
      [bytes, given.subarray(0, -1)],
      [bytes, Buffer.alloc(0)],
    ] as const) {
      assert.equal(verifyStamp(key, otherBody, otherSignature), false);
      assert.equal(await verifyInPool(key, otherBody, otherSignature), false);
    }
    for (const other of new Set(cases.map((each) => each.scheme))) {
      if (other === scheme) continue;
      const otherKey = importStampKey(other, hex(publicKey));
      assert.equal(otherKey !== undefined && verifyStamp(otherKey, bytes, given), false, other);
    }
  });
}

test('stamps of the published stamper', async () => {
  const bytes = seededBytes(20);
  for (let i = 0; i < 20; i++) {
    const secret = bytes(32);
    const publicKey = publicKeyOf('CURVE_P256', secret);
    const stamper = new ApiKeyStamper({ apiPublicKey: publicKey.toString('hex'), apiPrivateKey: secret.toString('hex') });
    const { stampHeaderValue } = await stamper.stamp(BODY);
    const stamp = JSON.parse(Buffer.from(stampHeaderValue, 'base64url').toString()) as { scheme: StampScheme; signature: string };
    assert.ok(verifyStamp(importStampKey(stamp.scheme, publicKey)!, Buffer.from(BODY), hex(stamp.signature)));
  }
});

test('signatures of OpenSSL, about half of them with high S', async () => {
  for (const [namedCurve, scheme] of [
    ['P-256', 'SIGNATURE_SCHEME_TK_API_P256'],
    ['secp256k1', 'SIGNATURE_SCHEME_TK_API_SECP256K1'],
  ] as const) {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
    const { x, y } = publicKey.export({ format: 'jwk' }) as { x: string; y: string };
    const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    const curve = namedCurve === 'P-256' ? 'API_KEY_CURVE_P256' : 'API_KEY_CURVE_SECP256K1';
    const key = importStampKey(scheme, hex(parseStampPublicKey(curve, point.toString('hex'))!))!;
    for (let i = 0; i < 60; i++) {
      const body = Buffer.from(`${i}`);
      assert.ok(verifyStamp(key, body, sign('sha256', body, privateKey)));
      assert.equal(await verifyInPool(key, Buffer.from('other'), sign('sha256', body, privateKey)), false);
    }
  }
});

/** r and s as the published wallet stamper writes them: 32 bytes each, 00 in front if the first bit is set, nothing taken away. */
function walletDer(r: Buffer, s: Buffer): Buffer {
  const integer = (value: Buffer) => {
    const body = value[0]! >= 0x80 ? Buffer.concat([Buffer.of(0), value]) : value;
    return Buffer.concat([Buffer.of(2, body.length), body]);
  };
  const body = Buffer.concat([integer(r), integer(s)]);
  return Buffer.concat([Buffer.of(0x30, body.length), body]);
}

test('integers that are not minimal verify on both curves, also on the thread pool', async () => {
  const bytes = seededBytes(21);
  for (const [curve, scheme] of [
    ['CURVE_P256', 'SIGNATURE_SCHEME_TK_API_P256'],
    ['CURVE_SECP256K1', 'SIGNATURE_SCHEME_TK_API_SECP256K1'],
  ] as const) {
    const secret = bytes(32);
    const key = importStampKey(scheme, publicKeyOf(curve, secret))!;
    let seen = 0;
    for (let i = 0; seen < 2; i++) {
      const body = Buffer.from(`${curve} ${i}`);
      const { r, s } = signDigest(curve, secret, sha256(body));
      if (r[0] !== 0 && s[0] !== 0) continue;
      seen++;
      const loose = walletDer(r, s);
      assert.ok(verifyStamp(key, body, loose));
      assert.ok(await verifyInPool(key, body, loose));
      const parsed = parseEcdsaSignature(loose)!;
      assert.deepEqual(Buffer.from(parsed.compact), Buffer.concat([r, s]));
      assert.deepEqual(Buffer.from(parsed.der), Buffer.from(encodeEcdsaSignature(parsed.compact)));
      assert.ok(parseEcdsaSignature(parsed.der)!.der === parsed.der, 'strict DER is passed on as it is');
    }
  }
});

test('public keys are stored in one form', () => {
  const secret = Buffer.alloc(32, 5);
  for (const [curve, kind] of [
    ['CURVE_P256', 'API_KEY_CURVE_P256'],
    ['CURVE_SECP256K1', 'API_KEY_CURVE_SECP256K1'],
  ] as const) {
    const compressed = publicKeyOf(curve, secret).toString('hex');
    const long = toHex(uncompressed(curve, hex(compressed)));
    for (const text of [compressed, compressed.toUpperCase(), long, long.toUpperCase()]) {
      assert.equal(parseStampPublicKey(kind, text), compressed);
    }
    const hybrid = `0${compressed[1] === '2' ? 6 : 7}${long.slice(2)}`;
    const offCurve = `${long.slice(0, -1)}${long.endsWith('0') ? 1 : 0}`;
    for (const text of [
      '',
      '00',
      `0x${compressed}`,
      compressed.slice(2),
      `${compressed}00`,
      hybrid,
      offCurve,
      `02${'f'.repeat(64)}`,
    ]) {
      assert.equal(parseStampPublicKey(kind, text), undefined, text);
    }
  }
  assert.equal(parseStampPublicKey('API_KEY_CURVE_ED25519', K3.toUpperCase()), K3);
  for (const text of ['', K3.slice(2), `${K3}00`, K1, `01${'0'.repeat(62)}`, '0'.repeat(64), 'f'.repeat(64)]) {
    assert.equal(parseStampPublicKey('API_KEY_CURVE_ED25519', text), undefined, text);
  }
  assert.equal(parseStampPublicKey('API_KEY_CURVE_NONE' as ApiKeyCurve, K1), undefined);
  assert.equal(importStampKey('toString' as StampScheme, hex(K1)), undefined);
});

test('of stamps that are verified together, each has its own verdict', async () => {
  const verify = burstVerifier();
  const keys = [40, 41, 42].map((seed) => {
    const secret = seededBytes(seed)(32);
    return { secret, key: importStampKey('SIGNATURE_SCHEME_TK_API_P256', publicKeyOf('CURVE_P256', secret))! };
  });
  const stamped = Array.from({ length: 40 }, (_, i) => {
    const { secret, key } = keys[i % keys.length]!;
    const body = Buffer.from(`${i}`);
    const { r, s } = signDigest('CURVE_P256', secret, sha256(body));
    return { key, body, signature: Buffer.from(encodeEcdsaSignature(Buffer.concat([r, s]))) };
  });
  for (const size of [1, 2, 3, 40]) {
    // Each fifth has the signature of its neighbour.
    const isGood = (i: number) => i % 5 !== 4;
    const verdicts = stamped
      .slice(0, size)
      .map(({ key, body, signature }, i) => verify(key, body, isGood(i) ? signature : stamped[i - 1]!.signature));
    assert.deepEqual(
      await Promise.all(verdicts),
      verdicts.map((_, i) => isGood(i)),
    );
  }
});

test('three stamps of one turn of the event loop are verified in the pool, fewer are not', async () => {
  const verify = burstVerifier();
  const [{ scheme }] = cases as [Case];
  const called: string[] = [];
  const waiting: (() => void)[] = [];
  const keyOf = (name: string, valid = true): StampKey => ({
    scheme,
    verify: () => called.push(`${name} here`) > 0 && valid,
    verifyInPool(_body, _signature, done) {
      called.push(`${name} in the pool`);
      waiting.push(() => done(valid));
    },
  });
  const nothing = Buffer.alloc(0);
  const begin = (...keys: StampKey[]) => keys.map((key) => verify(key, nothing, nothing));
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  assert.deepEqual(await Promise.all(begin(keyOf('a'), keyOf('b', false))), [true, false]);
  assert.deepEqual(called.splice(0), ['a here', 'b here']);
  const first = begin(keyOf('c'), keyOf('d', false), keyOf('e'));
  assert.deepEqual(called, []);
  await turn();
  const second = begin(keyOf('f', false), keyOf('g'), keyOf('h', false));
  await turn();
  assert.deepEqual(
    called.splice(0),
    [...'cdefgh'].map((name) => `${name} in the pool`),
  );
  for (const done of waiting.reverse()) done();
  assert.deepEqual(await Promise.all([...first, ...second]), [true, false, true, false, true, false]);
});

test('what throws in the pool is no stamp, and the others have their verdicts', async () => {
  const verify = burstVerifier();
  const [{ scheme, publicKey, body, signature }] = cases as [Case];
  const key = importStampKey(scheme, hex(publicKey))!;
  const failing: StampKey = {
    ...key,
    verifyInPool() {
      throw new Error('the pool');
    },
  };
  const verdicts = [key, failing, key].map((each) => verify(each, Buffer.from(body), hex(signature)));
  assert.deepEqual(await Promise.all(verdicts), [true, false, true]);
});
