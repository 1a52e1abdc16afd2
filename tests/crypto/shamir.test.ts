import assert from 'node:assert/strict';
import { test } from 'node:test';
import { combineShares, polynomialsOf, shareAt } from '../../src/crypto/shamir.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';
import { hex, seededBytes } from './vectors.ts';

/** Shares of QuorumOS (src/qos_crypto/src/shamir.rs, can_reconstruct_from_old_shares): two of three give the text. */
const PUBLISHED = [
  '01661fc0cc265daa4e7bde354c281dcc23a80c590249',
  '027bb5fb26d326e0fc421cf604e495e3d3e4bd24ab0e',
  '0370d31b89800f2f9255abb73ca0ed0f8329d20fcc33',
].map(hex);

test('published shares give their secret, two by two, in any order', () => {
  const [one, two, three] = PUBLISHED as [Buffer, Buffer, Buffer];
  for (const some of [[one, two], [two, three], [three, one], PUBLISHED])
    assert.equal(combineShares(some)?.toString(), 'my cute little secret');
});

test('any threshold of shares gives the secret, and one fewer does not', () => {
  const cases = fc.record({
    secret: fc.uint8Array({ minLength: 16, maxLength: 64 }),
    threshold: fc.integer({ min: 2, max: 9 }),
    numbers: fc.uniqueArray(fc.integer({ min: 1, max: 255 }), { minLength: 9, maxLength: 12 }),
    seed: fc.nat(),
  });
  fc.assert(
    fc.property(cases, ({ secret, threshold, numbers, seed }) => {
      const polynomials = polynomialsOf(secret, threshold, seededBytes(seed));
      const shares = numbers.map((number) => shareAt(polynomials, number));
      assert.deepEqual(combineShares(shares.slice(0, threshold)), Buffer.from(secret));
      assert.deepEqual(combineShares(shares), Buffer.from(secret));
      assert.notDeepEqual(combineShares(shares.slice(0, threshold - 1)), Buffer.from(secret));
      polynomials.wipe();
      assert.ok(polynomials.rows.every((row) => row.every((byte) => byte === 0)));
    }),
    { numRuns: rounds(100) },
  );
});

test('fewer shares than the threshold fit every secret alike', () => {
  for (const secret of [0, 1, 0xff]) {
    const one = new Set<number>();
    const pairs = new Set<number>();
    for (let first = 0; first < 256; first++) {
      one.add(
        shareAt(
          polynomialsOf(Buffer.of(secret), 2, () => Buffer.of(first)),
          77,
        )[1]!,
      );
      for (let second = 0; second < 256; second++) {
        const draws = [first, second];
        const polynomials = polynomialsOf(Buffer.of(secret), 3, () => Buffer.of(draws.pop()!));
        pairs.add(shareAt(polynomials, 1)[1]! * 256 + shareAt(polynomials, 200)[1]!);
      }
    }
    assert.deepEqual([one.size, pairs.size], [256, 65_536]);
  }
});

test('shares that do not belong together are refused, and so are numbers out of range', () => {
  const polynomials = polynomialsOf(Buffer.from('secret'), 2, seededBytes(1));
  const share = shareAt(polynomials, 1);
  for (const wrong of [
    [],
    [share, share],
    [share, share.subarray(1)],
    [Buffer.alloc(7), share],
    [Buffer.of(1)],
    [Buffer.alloc(0), share],
  ])
    assert.equal(combineShares(wrong), undefined);
  for (const number of [0, 256, 1.5, Number.NaN]) assert.throws(() => shareAt(polynomials, number), RangeError);
  for (const threshold of [1, 256, 2.5])
    assert.throws(() => polynomialsOf(Buffer.from('s'), threshold, seededBytes(1)), RangeError);
});
