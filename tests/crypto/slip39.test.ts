import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { readShare, ShareError } from '../../src/crypto/slip39/share.ts';
import { combineSecret, splitSecret } from '../../src/crypto/slip39/slip39.ts';
import { WORDS } from '../../src/crypto/slip39/words.ts';
import { isFull } from '../support/full.ts';
import fc from '../support/properties.ts';
import { ownVectors, seededBytes } from './vectors.ts';

type Vector = { title: string; mnemonics: string[]; secret: string };
const { vectors } = ownVectors<{ vectors: Vector[] }>('slip39/vectors.json');

const combined = async (texts: readonly string[], passphrase?: string) =>
  (await combineSecret(texts.map(readShare), passphrase)).toString('hex');

test('the list of words is the published one', () => {
  const digest = createHash('sha256')
    .update(`${WORDS.join('\n')}\n`)
    .digest('hex');
  assert.equal(digest, 'bcc4555340332d169718aed8bf31dd9d5248cb7da6e5d355140ef4f1e601eec3');
});

test('the official vectors give their secret, or are refused', async () => {
  assert.equal(vectors.length, 45);
  for (const { title, mnemonics, secret } of vectors)
    if (secret === '') await assert.rejects(combined(mnemonics, 'TREZOR').then(), ShareError, title);
    else assert.equal(await combined(mnemonics, 'TREZOR'), secret, title);
});

test('a wrong passphrase gives another secret, as the standard says', async () => {
  const { mnemonics, secret } = vectors[3]!;
  assert.notEqual(await combined(mnemonics, 'trezor'), secret);
});

/** All ways to take `size` of the items. */
function choices<T>(items: readonly T[], size: number): T[][] {
  if (size === 0) return [[]];
  return items.flatMap((item, at) => choices(items.slice(at + 1), size - 1).map((rest) => [item, ...rest]));
}

test('every threshold of up to 16 shares: any that suffice give the secret, and one fewer are refused', async () => {
  for (let count = 2; count <= 16; count += isFull || count < 5 ? 1 : 11)
    for (let threshold = 2; threshold <= count; threshold++) {
      const random = seededBytes(count * 16 + threshold);
      const secret = random(32).toString('hex');
      const texts = await splitSecret(Buffer.from(secret, 'hex'), { threshold, count }, random);
      assert.ok(texts.every((text) => text.split(' ').length === 33));
      const shares = texts.map(readShare);
      // All sets where they are few. Otherwise the first, the last and a mixed one.
      const mixed = shares.toSorted((a, b) => ((a.index * 7) % count) - ((b.index * 7) % count));
      const sets =
        count <= 5 ? choices(shares, threshold) : [shares, shares.toReversed(), mixed].map((all) => all.slice(0, threshold));
      for (const set of sets) {
        assert.equal((await combineSecret(set)).toString('hex'), secret);
        await assert.rejects(combineSecret(set.slice(1)), /needs \d+ shares/);
        // A share that claims a smaller threshold does not make one fewer suffice.
        const fewer = set.slice(1).map((share) => ({ ...share, threshold: threshold - 1 }));
        if (threshold > 2) await assert.rejects(combineSecret(fewer), /do not fit each other/);
        else assert.notEqual((await combineSecret(fewer)).toString('hex'), secret);
      }
    }
});

test('a changed word is refused: the checksum finds up to three', async () => {
  const [text] = await splitSecret(Buffer.alloc(32, 7), { threshold: 2, count: 2 }, seededBytes(1));
  const words = text!.split(' ');
  const changes = fc.uniqueArray(fc.tuple(fc.nat(32), fc.nat(1023)), { minLength: 1, maxLength: 3, selector: ([at]) => at });
  fc.assert(
    fc.property(changes, (changed) => {
      const other = [...words];
      for (const [at, number] of changed) other[at] = WORDS[number]!;
      fc.pre(other.some((word, at) => word !== words[at]));
      assert.throws(() => readShare(other.join(' ')), ShareError);
    }),
  );
  assert.deepEqual(readShare(`\n  ${text!.toUpperCase().replaceAll(' ', ' \t')} `), readShare(text!));
  for (const name of ['constructor', '__proto__'])
    assert.throws(() => readShare(text!.replace(words[4]!, name)), /word 5 is not in/);
});
