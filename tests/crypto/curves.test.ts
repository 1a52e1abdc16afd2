import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ed25519 as nobleEd25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 as nobleSecp256k1, schnorr } from '@noble/curves/secp256k1.js';
import { toHex } from '../../src/base/bytes.ts';
import { asBuffer } from '../../src/crypto/buffers.ts';
import {
  type DigestCurve,
  generatePrivateKey,
  isPrivateKey,
  publicKeyOf,
  signDigest,
  signEd25519,
  signSchnorr,
  tapTweakPrivateKey,
} from '../../src/crypto/curves.ts';
import { sha256, taggedHash } from '../../src/crypto/hash.ts';
import { P256_N } from '../../src/crypto/p256.ts';
import { bytesOfKey } from '../../src/crypto/plain-key.ts';
import { tapTweakPublicKey, uncompressed } from '../../src/crypto/points.ts';
import { SECP256K1_N } from '../../src/crypto/secp256k1.ts';
import { hex, seededBytes } from './vectors.ts';

const NOBLE = { CURVE_SECP256K1: nobleSecp256k1, CURVE_P256: p256 } as const;
const ORDER = { CURVE_SECP256K1: SECP256K1_N, CURVE_P256: P256_N } as const;
const DIGEST_CURVES: readonly DigestCurve[] = ['CURVE_SECP256K1', 'CURVE_P256'];
const number = (value: bigint): Buffer => hex(value.toString(16).padStart(64, '0'));
const text = ({ r, s, v }: { r: Buffer; s: Buffer; v: number }): string => `${v}${r.toString('hex')}${s.toString('hex')}`;

test('RFC 6979 A.2.5: P-256 with SHA-256', () => {
  const key = hex('c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721');
  const cases: [string, string, string][] = [
    [
      'sample',
      'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716',
      'f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8',
    ],
    [
      'test',
      'f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367',
      '019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083',
    ],
  ];
  for (const [message, r, s] of cases) {
    const signed = signDigest('CURVE_P256', key, sha256(Buffer.from(message)));
    assert.equal(signed.r.toString('hex'), r);
    // The standard's S is not reduced to the lower half; ours is.
    const given = BigInt(`0x${s}`);
    assert.deepEqual(signed.s, number(given > P256_N / 2n ? P256_N - given : given));
  }
});

test('RFC 6979 on secp256k1: the vector that Bitcoin implementations share', () => {
  const signed = signDigest('CURVE_SECP256K1', number(1n), sha256(Buffer.from('Satoshi Nakamoto')));
  assert.equal(
    `${signed.r.toString('hex')}${signed.s.toString('hex')}`,
    '934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d82442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5',
  );
});

for (const curve of DIGEST_CURVES) {
  test(`${curve}: signatures are byte for byte those of @noble/curves, low S, and recover the key`, () => {
    const bytes = seededBytes(1);
    const noble = NOBLE[curve];
    const edges = [
      Buffer.alloc(32),
      Buffer.alloc(32, 0xff),
      number(ORDER[curve]),
      number(ORDER[curve] - 1n),
      number(ORDER[curve] + 1n),
    ];
    const digests = [...edges, ...Array.from({ length: 220 }, () => bytes(32))];
    for (const digest of digests) {
      const key = bytes(32);
      const signed = signDigest(curve, key, digest);
      const expected = noble.sign(digest, key, { prehash: false, lowS: true, format: 'recovered' });
      assert.equal(text(signed), `${expected[0]}${Buffer.from(expected.subarray(1)).toString('hex')}`, digest.toString('hex'));
      assert.ok(BigInt(`0x${signed.s.toString('hex')}`) <= ORDER[curve] / 2n);
    }
    const key = bytes(32);
    const signed = signDigest(curve, key, digests.at(-1)!);
    const recovered = noble.recoverPublicKey(Buffer.concat([Buffer.of(signed.v), signed.r, signed.s]), digests.at(-1)!, {
      prehash: false,
    });
    assert.deepEqual(Buffer.from(recovered), publicKeyOf(curve, key));
  });

  test(`${curve}: public keys`, () => {
    const bytes = seededBytes(2);
    const noble = NOBLE[curve];
    for (const key of [number(1n), number(ORDER[curve] - 1n), ...Array.from({ length: 40 }, () => bytes(32))]) {
      const point = publicKeyOf(curve, key);
      assert.deepEqual(point, Buffer.from(noble.getPublicKey(key, true)));
      assert.deepEqual(asBuffer(uncompressed(curve, point)), Buffer.from(noble.getPublicKey(key, false)));
      assert.deepEqual(uncompressed(curve, uncompressed(curve, point)), uncompressed(curve, point));
    }
    const offCurve = Buffer.concat([Buffer.of(2), Buffer.alloc(32, 0xff)]);
    for (const bad of [Buffer.alloc(0), Buffer.alloc(33), offCurve, Buffer.alloc(32, 1), Buffer.alloc(65, 4)]) {
      assert.throws(() => uncompressed(curve, bad));
    }
  });

  test(`${curve}: private keys are 1 … n − 1`, () => {
    for (const value of [1n, ORDER[curve] - 1n]) assert.ok(isPrivateKey(curve, number(value)));
    for (const value of [0n, ORDER[curve], ORDER[curve] + 1n, (1n << 256n) - 1n]) {
      assert.equal(isPrivateKey(curve, number(value)), false);
      assert.throws(() => publicKeyOf(curve, number(value)));
      assert.throws(() => signDigest(curve, number(value), Buffer.alloc(32, 1)));
    }
    for (const length of [0, 31, 33]) assert.equal(isPrivateKey(curve, Buffer.alloc(length, 1)), false);
    for (const length of [0, 31, 33]) assert.throws(() => signDigest(curve, number(1n), Buffer.alloc(length, 1)));
  });
}

test('a fresh private key comes from the randomness given, and what is no key is drawn again', () => {
  const draws = [Buffer.alloc(32), Buffer.alloc(32, 0xff), Buffer.alloc(32, 7)];
  for (const curve of DIGEST_CURVES) {
    let drawn = 0;
    assert.deepEqual(
      generatePrivateKey(curve, (n) => {
        assert.equal(n, 32);
        return draws[drawn++]!;
      }),
      draws[2],
    );
  }
  assert.deepEqual(
    generatePrivateKey('CURVE_ED25519', () => Buffer.alloc(32)),
    Buffer.alloc(32),
  );
  assert.throws(() => generatePrivateKey('CURVE_P256', () => Buffer.alloc(32)), /randomness/);
});

test('RFC 8032 §7.1: Ed25519', () => {
  const cases: [string, string, string, string][] = [
    [
      '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      '',
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    ],
    [
      '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      '72',
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    ],
    [
      'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
      'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
      'af82',
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
    ],
  ];
  for (const [seed, publicKey, message, signature] of cases) {
    assert.equal(publicKeyOf('CURVE_ED25519', hex(seed)).toString('hex'), publicKey);
    assert.equal(signEd25519(hex(seed), hex(message)).toString('hex'), signature);
  }
  const bytes = seededBytes(3);
  for (let i = 0; i < 20; i++) {
    const [seed, message] = [bytes(32), bytes(i * 7)];
    assert.deepEqual(signEd25519(seed, message), Buffer.from(nobleEd25519.sign(message, seed)));
  }
});

test('BIP-340: the signing vectors', () => {
  const cases: [string, string, string, string][] = [
    [
      '0000000000000000000000000000000000000000000000000000000000000003',
      '0000000000000000000000000000000000000000000000000000000000000000',
      '0000000000000000000000000000000000000000000000000000000000000000',
      'e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca821525f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0',
    ],
    [
      'b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef',
      '0000000000000000000000000000000000000000000000000000000000000001',
      '243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89',
      '6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de33418906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a',
    ],
    [
      'c90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b14e5c9',
      'c87aa53824b4d7ae2eb035a2b5bbbccc080e76cdc6d1692c4b0b62d798e6d906',
      '7e2d58d8b3bcdf1abadec7829054f90dda9805aab56c77333024b9d0a508b75c',
      '5831aaeed7b44bb74e5eab94ba9d4294c49bcf2a60728d8b4c200f50dd313c1bab745879a5ad954a72c45a91c3a51d3c7adea98d82f8481e0e1e03674a6f3fb7',
    ],
    [
      '0b432b2677937381aef05bb02a66ecd012773062cf3fa2549e44f58ed2401710',
      'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
      'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
      '7eb0509757e246f19449885651611cb965ecc1a187dd51b64fda1edc9637d5ec97582b9cb13db3933705b32ba982af5af25fd78881ebb32771fc5922efc66ea3',
    ],
  ];
  for (const [key, auxiliary, message, signature] of cases) {
    assert.equal(signSchnorr(hex(key), hex(message), hex(auxiliary)).toString('hex'), signature);
  }
  assert.throws(() => signSchnorr(Buffer.alloc(32), Buffer.alloc(32), Buffer.alloc(32)));
});

test('BIP-341 and BIP-86: the key path without a script tree', () => {
  // BIP-341, wallet-test-vectors.json: keyPathSpending, input 0.
  const key = hex('6b973d88838f27366ed61c9ad6367663045cb456e28335c109e30717ae0c6baa');
  const tweaked = bytesOfKey(tapTweakPrivateKey(key));
  assert.equal(tweaked.toString('hex'), '2405b971772ad26915c8dcdf10f238753a9b837e5f8e6a86fd7c0cce5b7296d9');
  assert.equal(key.toString('hex').slice(0, 8), '6b973d88', 'the key itself is left alone');
  // BIP-86, first receiving address.
  const internal = hex('02cc8a4bc64d897bddc5fbc2f670f7a8ba0b386779106cf1223c6fc5d7cd6fc115');
  assert.equal(toHex(tapTweakPublicKey(internal)), 'a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c');
  const bytes = seededBytes(4);
  for (let i = 0; i < 20; i++) {
    const secret = bytes(32);
    const output = tapTweakPublicKey(publicKeyOf('CURVE_SECP256K1', secret));
    const signature = signSchnorr(tapTweakPrivateKey(secret), bytes(32), bytes(32));
    assert.deepEqual(publicKeyOf('CURVE_SECP256K1', tapTweakPrivateKey(secret)).subarray(1), asBuffer(output));
    assert.equal(signature.length, 64);
  }
});

test('Schnorr signatures with a tweaked key verify under the output key', () => {
  const bytes = seededBytes(5);
  const [secret, message] = [bytes(32), bytes(32)];
  const output = tapTweakPublicKey(publicKeyOf('CURVE_SECP256K1', secret));
  assert.ok(schnorr.verify(signSchnorr(tapTweakPrivateKey(secret), message, bytes(32)), message, output));
  assert.deepEqual(asBuffer(taggedHash('TapTweak', output)), Buffer.from(schnorr.utils.taggedHash('TapTweak', output)));
});
