import assert from 'node:assert/strict';
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { envelope } from '../../src/custody/envelope.ts';
import fc from '../support/properties.ts';

const key = (byte: number): KeyObject => createSecretKey(Buffer.alloc(32, byte));
const name = {
  organizationId: '0191e4a0-0000-7000-8000-000000000001',
  id: '0191e4a0-0000-7000-8000-000000000002',
  purpose: 'invitation',
};
const secret = Buffer.from('a one-time secret');
const made = envelope(new Map([[7, key(7)]]), randomBytes);

const parts = (...texts: string[]): Buffer =>
  Buffer.concat([
    Buffer.from('countersign/envelope/1'),
    ...texts.map((text) => Buffer.concat([Buffer.of(0, text.length), Buffer.from(text)])),
  ]);

test('format 2 of a keyed hash, step by step as its description says', () => {
  const derived = createHmac('sha256', Buffer.alloc(32, 7))
    .update(parts('service', 'keyed-hash', 'keyed-hash'))
    .update(Buffer.of(1))
    .digest();
  const digest = createHmac('sha256', derived)
    .update(parts(name.organizationId, name.id, name.purpose))
    .update(secret)
    .digest();
  assert.deepEqual(made.hash(name, secret), Buffer.concat([Buffer.of(2, 0, 0, 0, 7), digest]));
});

test('a hash matches its secret under its name, and nothing else', () => {
  const hash = made.hash(name, secret);
  assert.equal(made.matches(name, hash, secret), true);
  const bytes = fc.uint8Array({ maxLength: 64 });
  fc.assert(fc.property(bytes, (other) => made.matches(name, hash, other) === secret.equals(other)));
  fc.assert(fc.property(bytes, (other) => made.matches(name, other, secret) === hash.equals(other)));
  fc.assert(
    fc.property(fc.nat({ max: hash.length * 8 - 1 }), (bit) => {
      const changed = Buffer.from(hash);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      return !made.matches(name, changed, secret);
    }),
  );
  for (const other of [{ organizationId: 'x' }, { id: 'x' }, { purpose: 'private-key' }])
    assert.equal(made.matches({ ...name, ...other }, hash, secret), false);
  assert.equal(made.matches(name, undefined, secret), false);
});

test('an older live master key still matches, and a retired one does not', () => {
  const old = envelope(new Map([[1, key(1)]]), randomBytes).hash(name, secret);
  const both = [
    [1, key(1)],
    [2, key(2)],
  ] as const;
  assert.equal(envelope(new Map(both), randomBytes).matches(name, old, secret), true);
  assert.equal(envelope(new Map([both[1]]), randomBytes).matches(name, old, secret), false);
});
