import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import {
  decapsulate,
  encapsulate,
  generateHpkeKeyPair,
  type HpkeBinding,
  HpkeError,
  hpkeOpen,
  hpkeSeal,
  WIRE_BINDING,
} from '../../src/crypto/hpke.ts';
import { p256Convert } from '../../src/crypto/p256.ts';
import fc from '../support/properties.ts';
import { hex, ownVectors, seededBytes } from './vectors.ts';

type Rfc = { section: string; skEm: string; pkEm: string; skRm: string; pkRm: string; sharedSecret: string };
type Wire = {
  recipient: { privateKey: string; publicKey: string };
  ephemeral: { privateKey: string; publicKey: string };
  message: { plaintext: string; sharedSecret: string; ciphertext: string };
};

const wire = ownVectors<Wire>('hpke/wire.json');
const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });

const bytes = (max: number) => fc.uint8Array({ maxLength: max }).map((array) => Buffer.from(array));
const seed = fc.integer({ min: 0, max: 0x7fffffff });
const bindings: fc.Arbitrary<HpkeBinding> = fc.oneof(
  fc.constant(WIRE_BINDING),
  fc.record({ info: bytes(80), aad: bytes(80) }).map(({ info, aad }) => ({ info, aad: () => aad })),
);
const arrayBuffer = (data: Uint8Array) => new Uint8Array(data).buffer;

for (const vector of ownVectors<Rfc[]>('hpke/rfc9180.json')) {
  test(`RFC 9180 ${vector.section}: encapsulation and decapsulation`, () => {
    const expected = { sharedSecret: hex(vector.sharedSecret), enc: hex(vector.pkEm), recipient: hex(vector.pkRm) };
    assert.deepEqual(encapsulate(hex(vector.pkRm), hex(vector.skEm)), expected);
    assert.deepEqual(decapsulate(hex(vector.skRm), hex(vector.pkEm)), expected);
  });
}

test('the wire: a message to a known key from a known ephemeral key', () => {
  const { recipient, ephemeral, message } = wire;
  assert.deepEqual(encapsulate(hex(recipient.publicKey), hex(ephemeral.privateKey))?.sharedSecret, hex(message.sharedSecret));
  const sealed = hpkeSeal(hex(recipient.publicKey), Buffer.from(message.plaintext), () => hex(ephemeral.privateKey));
  assert.equal(sealed.enc.toString('hex'), ephemeral.publicKey);
  assert.equal(sealed.ciphertext.toString('hex'), message.ciphertext);
  assert.equal(hpkeOpen(hex(recipient.privateKey), sealed.enc, sealed.ciphertext).toString(), message.plaintext);
});

test('@hpke/core opens what we seal', async () => {
  await fc.assert(
    fc.asyncProperty(seed, bytes(200), bindings, fc.boolean(), async (start, plaintext, binding, compressed) => {
      const random = seededBytes(start);
      const pair = generateHpkeKeyPair(random);
      const point = compressed ? p256Convert(pair.publicKey, 'compressed')! : pair.publicKey;
      const { enc, ciphertext } = hpkeSeal(point, plaintext, random, binding);
      const opened = await suite.open(
        {
          recipientKey: await suite.kem.importKey('raw', arrayBuffer(pair.privateKey), false),
          enc,
          info: arrayBuffer(binding.info),
        },
        arrayBuffer(ciphertext),
        arrayBuffer(binding.aad(enc, pair.publicKey)),
      );
      assert.deepEqual(Buffer.from(opened), plaintext);
    }),
    { numRuns: 40 },
  );
});

test('we open what @hpke/core seals', async () => {
  await fc.assert(
    fc.asyncProperty(seed, bytes(200), bindings, fc.boolean(), async (start, plaintext, binding, compressed) => {
      const pair = generateHpkeKeyPair(seededBytes(start));
      const recipientPublicKey = await suite.kem.importKey('raw', arrayBuffer(pair.publicKey), true);
      const sender = await suite.createSenderContext({ recipientPublicKey, info: arrayBuffer(binding.info) });
      const enc = Buffer.from(sender.enc);
      const sealed = await sender.seal(arrayBuffer(plaintext), arrayBuffer(binding.aad(enc, pair.publicKey)));
      const point = compressed ? p256Convert(enc, 'compressed')! : enc;
      assert.deepEqual(hpkeOpen(pair.privateKey, point, Buffer.from(sealed), binding), plaintext);
    }),
    { numRuns: 40 },
  );
});

test('whatever is changed does not open, and the error says nothing of why', () => {
  const random = seededBytes(1);
  const pair = generateHpkeKeyPair(random);
  const other = generateHpkeKeyPair(random);
  const { enc, ciphertext } = hpkeSeal(pair.publicKey, Buffer.from('secret'), random);
  const flipped = (from: Buffer, bit: number) => {
    const copy = Buffer.from(from);
    copy[bit >> 3]! ^= 1 << (bit & 7);
    return copy;
  };
  const fails = (privateKey: Buffer, key: Uint8Array, message: Uint8Array, binding?: HpkeBinding) =>
    assert.throws(
      () => hpkeOpen(privateKey, key, message, binding),
      (error: unknown) => {
        assert.ok(error instanceof HpkeError);
        assert.equal(error.message, 'the message cannot be opened');
        return true;
      },
    );
  for (let bit = 0; bit < ciphertext.length * 8; bit++) fails(pair.privateKey, enc, flipped(ciphertext, bit));
  for (let bit = 0; bit < enc.length * 8; bit++) fails(pair.privateKey, flipped(enc, bit), ciphertext);
  for (let length = 0; length < ciphertext.length; length++) fails(pair.privateKey, enc, ciphertext.subarray(0, length));
  fails(other.privateKey, enc, ciphertext);
  fails(pair.privateKey, other.publicKey, ciphertext);
  fails(pair.privateKey, enc, Buffer.concat([ciphertext, Buffer.alloc(1)]));
  fails(pair.privateKey, enc, ciphertext, { ...WIRE_BINDING, info: Buffer.from('turnkey_hpkf') });
  fails(pair.privateKey, enc, ciphertext, { ...WIRE_BINDING, aad: () => Buffer.alloc(0) });
  assert.equal(hpkeOpen(pair.privateKey, enc, ciphertext).toString(), 'secret');
});

test('no point, no key', () => {
  const random = seededBytes(2);
  const pair = generateHpkeKeyPair(random);
  const y = pair.publicKey.subarray(33);
  const odd = y[31]! & 1;
  const points = [
    Buffer.alloc(0),
    Buffer.alloc(1),
    Buffer.alloc(33),
    Buffer.alloc(65),
    Buffer.concat([Buffer.of(4), Buffer.alloc(64)]),
    Buffer.concat([Buffer.of(4), Buffer.alloc(64, 255)]),
    // Hybrid form (ANSI X9.62): a point, but in no encoding of RFC 9180.
    Buffer.concat([Buffer.of(6 + odd), pair.publicKey.subarray(1)]),
    Buffer.concat([Buffer.of(2), Buffer.alloc(32, 255)]),
    pair.publicKey.subarray(0, 64),
    Buffer.concat([pair.publicKey, Buffer.alloc(1)]),
  ];
  for (const point of points) {
    assert.throws(() => hpkeSeal(point, Buffer.alloc(1), random), HpkeError, point.toString('hex'));
    assert.throws(() => hpkeOpen(pair.privateKey, point, Buffer.alloc(17)), HpkeError, point.toString('hex'));
  }
  for (const key of [Buffer.alloc(0), Buffer.alloc(32), Buffer.alloc(32, 255), Buffer.alloc(33, 1)]) {
    assert.throws(() => hpkeOpen(key, pair.publicKey, Buffer.alloc(17)), RangeError);
  }
});

test('the ephemeral key is a fresh valid scalar, and is wiped', () => {
  const given: Buffer[] = [];
  const queue = [Buffer.alloc(32), Buffer.alloc(32, 255), seededBytes(3)(32)];
  const random = (n: number) => {
    assert.equal(n, 32);
    const next = queue[given.length]!;
    given.push(next);
    return next;
  };
  const pair = generateHpkeKeyPair(seededBytes(4));
  const { enc, ciphertext } = hpkeSeal(pair.publicKey, Buffer.from('x'), random);
  assert.equal(given.length, 3);
  assert.ok(given[2]!.every((byte) => byte === 0));
  assert.equal(hpkeOpen(pair.privateKey, enc, ciphertext).toString(), 'x');
});
