/** Points and hashes without native code, as a browser has them, against Node.js's and libsecp256k1's. */
import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { publicKeyOf } from '../../src/crypto/curves.ts';
import { sha256, sha3256 } from '../../src/crypto/hash.ts';
import { p256Convert } from '../../src/crypto/p256.ts';
import { portablePoints } from '../../src/crypto/points.ts';
import { SECP256K1_N, secp256k1 } from '../../src/crypto/secp256k1.ts';

const plain = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex');
const number = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');

/** Valid points in both forms, and invalid ones. */
function points(curve: 'CURVE_SECP256K1' | 'CURVE_P256'): Buffer[] {
  const good = Array.from({ length: 20 }, () => publicKeyOf(curve, randomBytes(32)));
  const damaged = good.flatMap((point) => [
    Buffer.concat([Buffer.of(0x05), point.subarray(1)]),
    Buffer.concat([Buffer.of(0x04), point.subarray(1)]),
    point.subarray(1),
    Buffer.concat([point, Buffer.of(0)]),
    Buffer.concat([point.subarray(0, 1), randomBytes(32)]),
    Buffer.concat([point.subarray(0, 1), Buffer.alloc(32, 0xff)]),
  ]);
  return [...good, ...damaged, Buffer.alloc(0), Buffer.of(0), Buffer.alloc(33), Buffer.alloc(65)];
}

test('secp256k1: points in either form', () => {
  for (const point of points('CURVE_SECP256K1')) {
    const long = secp256k1.convert(point, false);
    assert.equal(plain(portablePoints.secp256k1.convert(point, false)), plain(long), plain(point));
    if (long === undefined) continue;
    for (const compressed of [true, false])
      assert.equal(plain(portablePoints.secp256k1.convert(long, compressed)), plain(secp256k1.convert(long, compressed)));
    const hybrid = Buffer.concat([Buffer.of(0x06 | (long[64]! & 1)), long.subarray(1)]);
    assert.equal(portablePoints.secp256k1.convert(hybrid, true), undefined);
  }
});

test('secp256k1: a tweak is added, but none that is out of range or gives infinity', () => {
  const secret = number(7n);
  const point = publicKeyOf('CURVE_SECP256K1', secret);
  const tweaks = [0n, 1n, 7n, SECP256K1_N - 7n, SECP256K1_N - 1n, SECP256K1_N, 2n ** 256n - 1n].map(number);
  for (const tweak of [...tweaks, ...Array.from({ length: 20 }, () => randomBytes(32))])
    assert.equal(
      plain(portablePoints.secp256k1.addToPoint(point, tweak)),
      plain(secp256k1.addToPoint(point, tweak)),
      plain(tweak),
    );
  const none = Buffer.concat([Buffer.of(0x02), Buffer.alloc(32, 0xff)]);
  assert.equal(portablePoints.secp256k1.addToPoint(none, number(1n)), undefined);
  assert.equal(secp256k1.addToPoint(none, number(1n)), undefined);
});

test('P-256: points in 65 bytes', () => {
  for (const point of points('CURVE_P256')) {
    const long = p256Convert(point, 'uncompressed');
    assert.equal(plain(portablePoints.p256Uncompressed(point)), plain(long), plain(point));
    if (long) assert.equal(plain(portablePoints.p256Uncompressed(long)), plain(long));
  }
});

test('hashes are those of Node.js at every length', () => {
  for (const length of [0, 1, 55, 56, 64, 135, 136, 255, 256, 257, 1000, 70_000]) {
    const data = randomBytes(length);
    assert.equal(plain(sha256(data)), hash('sha256', data, 'hex'), `${length}`);
    assert.equal(plain(sha3256(data)), hash('sha3-256', data, 'hex'), `${length}`);
  }
});
