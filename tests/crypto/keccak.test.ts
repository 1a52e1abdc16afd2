import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { compiled, keccak256 } from '../../src/crypto/keccak.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

before(async () => {
  const early = keccak256(Buffer.from('abc'));
  assert.equal(await compiled, true);
  assert.deepEqual(keccak256(Buffer.from('abc')), early, 'before and after it was compiled');
});

test('hashes known values', () => {
  assert.equal(hex(keccak256(new Uint8Array())), 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
  assert.equal(hex(keccak256(Buffer.from('abc'))), '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45');
});

test('is what another library makes, of any length and of a part of a buffer', () => {
  for (let length = 0; length <= 300; length++)
    assert.deepEqual(keccak256(Buffer.alloc(length, length)), keccak_256(Buffer.alloc(length, length)));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), fc.nat(100), (bytes, from) => {
      const part = bytes.subarray(from);
      assert.deepEqual(keccak256(part), keccak_256(part));
    }),
  );
  const long = Buffer.alloc(1_000_003, 'long');
  assert.deepEqual(keccak256(long), keccak_256(long));
});

test('a hash stays when others are made', () => {
  const first = keccak256(Buffer.from('first'));
  const copy = Uint8Array.from(first);
  keccak256(Buffer.from('second'));
  assert.deepEqual(first, copy);
  assert.equal(first.buffer.byteLength, 32);
});
