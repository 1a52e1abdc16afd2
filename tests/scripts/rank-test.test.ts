import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, rankTest } from '../../bench/enumeration/rank-test.ts';
import { seeded } from '../support/seeded.ts';

/** Times as a service has them: a floor, and a long tail. */
function times(count: number, seed: number, more = 0): number[] {
  const random = seeded(seed);
  return Array.from({ length: count }, () => 1 + more - Math.log((random(1_000_000) + 1) / 1_000_000) / 4);
}

test('known values', () => {
  // By hand: of nine pairs the first is larger in two.
  const { larger } = rankTest([1, 4, 5], [3, 6, 7]);
  assert.equal(larger, 2 / 9);
  // R: wilcox.test(1:10, 11:20, exact = FALSE)$p.value
  const apart = rankTest([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  assert.ok(Math.abs(apart.p - 0.0001827) < 1e-6, String(apart.p));
  assert.equal(apart.larger, 0);
  assert.deepEqual(rankTest([1, 1, 1], [1, 1, 1]).larger, 0.5);
  assert.ok(rankTest([1, 1, 1], [1, 1, 1]).p > 0.99);
  assert.equal(median([5, 1, 3]), 3);
});

test('samples of one kind are rarely told apart', () => {
  const alarms = Array.from({ length: 200 }, (_, i) => rankTest(times(300, 2 * i), times(300, 2 * i + 1)).p < 0.01);
  assert.ok(alarms.filter(Boolean).length <= 8, `${alarms.filter(Boolean).length} of 200`);
});

test('a thousand samples with a tenth of their spread between them are', () => {
  const { p, larger } = rankTest(times(1000, 1, 0.05), times(1000, 2));
  assert.ok(p < 0.0001 && larger > 0.55, `${p} ${larger}`);
});
