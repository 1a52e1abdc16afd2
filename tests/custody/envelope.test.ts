import assert from 'node:assert/strict';
import { createCipheriv, createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { bytesOfKey } from '../../src/crypto/plain-key.ts';
import { envelope } from '../../src/custody/envelope.ts';
import { EnvelopeError } from '../../src/custody/types.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';

const key = (byte: number): KeyObject => createSecretKey(Buffer.alloc(32, byte));
const name = {
  organizationId: '0191e4a0-0000-7000-8000-000000000001',
  id: '0191e4a0-0000-7000-8000-000000000002',
  purpose: 'private-key',
};
const secret = Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 'hex');
const fixed = (n: number) => Buffer.from(Array.from({ length: n }, (_, i) => 0xa0 + i));

/**
 * Format 1, for good: master key version 7 is 32 bytes of 0x07, the nonce a0a1…ab. A program that does not open this
 * has lost its users' keys.
 */
const FORMAT_1 =
  '0100000007a0a1a2a3a4a5a6a7a8a9aaabc77add10f73feff1bd16c145c6d08a6925550dfc75289029def366cabd82bad6920a2c229a53984e8ea4ba0b469e90fa';

test('format 1 is opened for ever, and sealed the same way', () => {
  const made = envelope(new Map([[7, key(7)]]), fixed);
  assert.equal(bytesOfKey(made.open(name, Buffer.from(FORMAT_1, 'hex'))).toString('hex'), secret.toString('hex'));
  assert.equal(made.seal(name, secret).toString('hex'), FORMAT_1);
});

test('format 1, step by step as its description says', () => {
  const part = (text: string) => Buffer.concat([Buffer.of(0, text.length), Buffer.from(text)]);
  const info = Buffer.concat([
    Buffer.from('countersign/envelope/1'),
    part(name.organizationId),
    part(name.id),
    part(name.purpose),
  ]);
  // HKDF-Expand (RFC 5869 §2.3) of one block.
  const derived = createHmac('sha256', Buffer.alloc(32, 7)).update(info).update(Buffer.of(1)).digest();
  const header = Buffer.from('0100000007', 'hex');
  const cipher = createCipheriv('aes-256-gcm', derived, fixed(12));
  cipher.setAAD(Buffer.concat([header, info]));
  const body = Buffer.concat([cipher.update(secret), cipher.final()]);
  assert.equal(Buffer.concat([header, fixed(12), body, cipher.getAuthTag()]).toString('hex'), FORMAT_1);
});

test('no byte of a sealed secret can be changed, cut or added to', () => {
  const made = envelope(
    new Map([
      [1, key(1)],
      [2, key(2)],
    ]),
    randomBytes,
  );
  const sealed = made.seal(name, secret);
  for (let i = 0; i < sealed.length; i++)
    for (const bit of [0x01, 0x80, 0xff]) {
      const changed = Buffer.from(sealed);
      changed[i]! ^= bit;
      assert.throws(() => made.open(name, changed), EnvelopeError, `byte ${i}`);
    }
  for (let length = 0; length < sealed.length; length++)
    assert.throws(() => made.open(name, sealed.subarray(0, length)), EnvelopeError, `${length} bytes`);
  assert.throws(() => made.open(name, Buffer.concat([sealed, Buffer.of(0)])), EnvelopeError);
  const older = Buffer.from(sealed);
  older.writeUInt32BE(1, 1);
  assert.throws(() => made.open(name, older), EnvelopeError, 'another live master key');
  assert.deepEqual(made.open(name, sealed), secret);
});

test('a row that was moved does not open: another organization, id or purpose, or the same text split otherwise', () => {
  const made = envelope(new Map([[1, key(1)]]), randomBytes);
  const sealed = made.seal({ organizationId: 'ab', id: 'cd', purpose: 'ef' }, secret);
  for (const [organizationId, id, purpose] of [
    ['xx', 'cd', 'ef'],
    ['ab', 'xx', 'ef'],
    ['ab', 'cd', 'xx'],
    ['abc', 'd', 'ef'],
    ['ab', 'cde', 'f'],
    ['a', 'bcd', 'ef'],
    ['cd', 'ab', 'ef'],
    ['', 'abcd', 'ef'],
  ] as const)
    assert.throws(() => made.open({ organizationId, id, purpose }, sealed), /was changed, or moved from another row/);
});

test('names never share a derived key, however they are written', () => {
  const made = envelope(new Map([[1, key(1)]]), randomBytes);
  const part = fc.string({ unit: fc.constantFrom('a', '/', '\u0000', 'é'), maxLength: 4 });
  const names = fc.record({ organizationId: part, id: part, purpose: part });
  fc.assert(
    fc.property(names, names, (one, other) => {
      const sealed = made.seal(one, secret);
      const same =
        JSON.stringify([one.organizationId, one.id, one.purpose]) ===
        JSON.stringify([other.organizationId, other.id, other.purpose]);
      if (same) assert.deepEqual(made.open(other, sealed), secret);
      else assert.throws(() => made.open(other, sealed), EnvelopeError);
    }),
    {
      numRuns: rounds(500),
      examples: [
        [
          { organizationId: '', id: '/', purpose: '' },
          { organizationId: '', id: '', purpose: '/' },
        ],
        [
          { organizationId: 'a/a', id: 'a', purpose: '' },
          { organizationId: 'a', id: 'a/a', purpose: '' },
        ],
      ],
    },
  );
});

test('the newest master key seals, older live ones open, retired and unknown ones are refused by number', () => {
  const old = envelope(new Map([[1, key(1)]]), randomBytes).seal(name, secret);
  const both = envelope(
    new Map([
      [2, key(2)],
      [1, key(1)],
    ]),
    randomBytes,
  );
  assert.deepEqual(both.open(name, old), secret);
  const sealed = both.seal(name, secret);
  assert.equal(sealed.readUInt32BE(1), 2);
  const later = envelope(new Map([[2, key(2)]]), randomBytes);
  assert.deepEqual(later.open(name, sealed), secret);
  assert.throws(() => later.open(name, old), /master key version 1, which this process does not have/);
  const wrong = envelope(new Map([[2, key(9)]]), randomBytes);
  assert.throws(() => wrong.open(name, sealed), /cannot be opened/);
});

test('bytes that are no sealed secret are refused, and the message holds nothing of them', () => {
  const made = envelope(new Map([[1, key(1)]]), randomBytes);
  for (const bytes of [Buffer.alloc(0), Buffer.alloc(32), Buffer.alloc(33), Buffer.alloc(100, 1), Buffer.alloc(100, 2)])
    assert.throws(() => made.open(name, bytes), EnvelopeError);
  assert.throws(() => made.open(name, Buffer.concat([Buffer.of(2), made.seal(name, secret).subarray(1)])), /known format/);
});

test('secrets of any length, each in a fresh buffer, under a fresh nonce', () => {
  const made = envelope(new Map([[1, key(1)]]), randomBytes);
  for (const length of [0, 1, 32, 215, 5000]) {
    const plain = randomBytes(length);
    const [one, other] = [made.seal(name, plain), made.seal(name, plain)];
    assert.equal(one.length, 5 + 12 + length + 16);
    assert.notDeepEqual(one.subarray(5, 17), other.subarray(5, 17));
    const opened = made.open(name, one);
    assert.deepEqual(opened, plain);
    bytesOfKey(opened).fill(0xee);
    assert.deepEqual(made.open(name, one), plain, 'wiping one copy leaves the next');
  }
});
