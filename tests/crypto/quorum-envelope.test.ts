import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encryptOauth2ClientSecret } from '@turnkey/crypto';
import { BundleError } from '../../src/crypto/bundle.ts';
import { generateHpkeKeyPair } from '../../src/crypto/hpke.ts';
import {
  isQuorumEnvelope,
  LONGEST_ENVELOPE,
  openQuorumBytes,
  openQuorumEnvelope,
  sealQuorumEnvelope,
} from '../../src/crypto/quorum-envelope.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';
import { seeded } from '../support/seeded.ts';
import { hex, ownVectors, seededBytes } from './vectors.ts';

type Vector = { privateKey: string; publicKey: string; plaintext: string; envelope: string };
const { quorumEnvelope: vector } = ownVectors<{ quorumEnvelope: Vector }>('hpke/wire.json');
const privateKey = hex(vector.privateKey);
const publicKey = hex(vector.publicKey);
const open = (text: string): string => openQuorumEnvelope(text, privateKey, publicKey).toString();

function refusal(text: string): string {
  try {
    open(text);
  } catch (error) {
    assert.ok(error instanceof BundleError, `${String(error)} of ${text.slice(0, 80)}`);
    return error.message;
  }
  throw new assert.AssertionError({ message: `opened: ${text.slice(0, 80)}` });
}

test('the vector opens, in either case', () => {
  assert.equal(open(vector.envelope), vector.plaintext);
  assert.equal(open(vector.envelope.toUpperCase()), vector.plaintext);
});

test('what @turnkey/crypto seals opens, by its own key alone', async () => {
  const random = seededBytes(21);
  for (const secret of ['', 'a', 'ひみつ', 'x'.repeat(4096)]) {
    const pair = generateHpkeKeyPair(random);
    const sealed = await encryptOauth2ClientSecret(secret, pair.publicKey.toString('hex'));
    assert.equal(openQuorumEnvelope(sealed, pair.privateKey, pair.publicKey).toString(), secret);
    assert.match(refusal(sealed), /^cannot be decrypted/);
  }
});

test('a wrong envelope is refused by its fault, and nothing of it is quoted', () => {
  const { envelope } = vector;
  const point = envelope.slice(24, 154);
  const rows: readonly (readonly [string, RegExp])[] = [
    ['', /^is not an envelope/],
    ['hush', /^is not hex of at most/],
    [`0x${envelope}`, /^is not hex/],
    [envelope.slice(0, -1), /^is not hex/],
    [envelope.slice(0, -2), /^is not an envelope/],
    [`${envelope}00`, /^is not an envelope/],
    [envelope.slice(0, 162), /^is not an envelope/],
    [`${envelope.slice(0, 154)}ffffffff${envelope.slice(162)}`, /^is not an envelope/],
    [envelope.replace(point, `04${'11'.repeat(64)}`), /^has no P-256 public key/],
    [envelope.replace(point, `${'00'.repeat(65)}`), /^has no P-256 public key/],
    ['00'.repeat(LONGEST_ENVELOPE / 2 + 1), /^is not hex of at most/],
  ];
  for (const [text, expected] of rows) assert.match(refusal(text), expected);
});

test('no change of a byte opens, and no text whatever makes another error', () => {
  const next = seeded(22);
  const bytes = hex(vector.envelope);
  for (let i = 0; i < 300; i++) {
    const changed = Buffer.from(bytes);
    changed[next(changed.length)]! ^= 1 << next(8);
    assert.ok(refusal(changed.toString('hex')).length > 0);
  }
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.uint8Array({ maxLength: 200 }).map((b) => Buffer.from(b).toString('hex')),
      ),
      (text) => refusal(text).length > 0,
    ),
    { numRuns: rounds(300) },
  );
});

test('the service seals what opens by the key of the receiver alone, each time anew', () => {
  const random = seededBytes(23);
  const [pair, other] = [generateHpkeKeyPair(random), generateHpkeKeyPair(random)];
  for (const plain of [Buffer.alloc(0), Buffer.from('share'), Buffer.alloc(4096, 7)]) {
    const [one, two] = [1, 2].map(() => sealQuorumEnvelope(pair.publicKey, plain, random)) as [Buffer, Buffer];
    assert.notDeepEqual(one, two);
    assert.ok(isQuorumEnvelope(one));
    assert.deepEqual(openQuorumBytes(one, pair.privateKey, pair.publicKey), plain);
    assert.throws(() => openQuorumBytes(two, other.privateKey, other.publicKey), /cannot be decrypted/);
  }
  assert.throws(() => sealQuorumEnvelope(pair.publicKey, Buffer.alloc(4097), random), RangeError);
  assert.throws(() => sealQuorumEnvelope(Buffer.alloc(65, 4), Buffer.alloc(1), random), BundleError);
});
