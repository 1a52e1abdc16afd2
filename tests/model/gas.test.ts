import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPrice, formatUsd, microUsdOf, parsePrice, parseUsd } from '../../src/model/gas.ts';
import { bucketsOf, MOST_MINUTES, rangesOf, stepOf } from '../../src/model/gas-window.ts';
import { seeded } from '../support/seeded.ts';

/** Between 0 and 1. */
const fractions = (seed: number) => {
  const next = seeded(seed);
  return () => next(2 ** 30) / 2 ** 30;
};

test('USD are decimal texts of at most six decimals', () => {
  for (const [text, micro] of [
    ['0', 0],
    ['0.000001', 1],
    ['12.5', 12_500_000],
    ['007', 7_000_000],
    ['1000000000', 1e15],
  ] as const)
    assert.equal(parseUsd(text), micro, text);
  for (const text of ['', '-1', '+1', '1.', '.5', '1e3', '0.0000001', '1000000001', '1,5', ' 1', '0x1', 'NaN', '١'])
    assert.equal(parseUsd(text), undefined, text);
});

test('a shown amount is read as the same amount', () => {
  assert.equal(formatUsd(0), '0.00');
  assert.equal(formatUsd(12_500_000), '12.50');
  assert.equal(formatUsd(1), '0.000001');
  const next = fractions(30);
  for (let i = 0; i < 2000; i++) {
    const micro = Math.floor(next() * 1e15);
    assert.equal(parseUsd(formatUsd(micro)), micro);
  }
});

test('prices are exact, and 0 is none', () => {
  assert.equal(parsePrice('3000.50'), 3_000_500_000_000_000_000_000n);
  assert.equal(parsePrice('0.000000000000000001'), 1n);
  for (const text of ['', '0', '0.0', '-1', '1e3', '0.0000000000000000001']) assert.equal(parsePrice(text), undefined, text);
  for (const text of ['3000.5', '150', '0.000000000000000001', '999999999999', '10'])
    assert.equal(formatPrice(parsePrice(text)!), text);
});

test('a cost is rounded up to a whole micro-USD', () => {
  const eth = { usdE18: parsePrice('3000')!, decimals: 18 };
  assert.equal(microUsdOf(0n, eth), 0);
  assert.equal(microUsdOf(1n, eth), 1);
  assert.equal(microUsdOf(10n ** 18n, eth), 3_000_000_000);
  assert.equal(microUsdOf(10n ** 18n + 1n, eth), 3_000_000_001);
  assert.equal(microUsdOf(5000n, { usdE18: parsePrice('150')!, decimals: 9 }), 750);
  assert.equal(microUsdOf(10n ** 60n, eth), Number.MAX_SAFE_INTEGER);
  assert.throws(() => microUsdOf(-1n, eth), RangeError);
});

test('the sum over a window has all that was spent in it, and what is older by a step at most', () => {
  const next = fractions(30);
  const minute = 60_000;
  for (let round = 0; round < 40; round++) {
    const now = 1_700_000_000_000 + Math.floor(next() * 1e10);
    const windowMs = Math.ceil(next() ** 4 * MOST_MINUTES) * minute;
    const kept = new Map<string, number>();
    const spends = Array.from({ length: 300 }, () => ({
      at: now - Math.floor(next() ** 3 * 2 * windowMs),
      amount: Math.floor(next() * 1000),
    }));
    for (const { at, amount } of spends)
      for (const { width, startsAt, expiresAt } of bucketsOf(at)) {
        const name = `${width} ${startsAt}`;
        if (expiresAt >= now) kept.set(name, (kept.get(name) ?? 0) + amount);
      }
    let sum = 0;
    let read = 0;
    for (const { width, from, before } of rangesOf(now, windowMs))
      for (let at = Math.ceil(from / width) * width; at < before; at += width) {
        sum += kept.get(`${width} ${at}`) ?? 0;
        read++;
      }
    const since = (time: number) => spends.filter(({ at }) => at > time).reduce((all, { amount }) => all + amount, 0);
    assert.ok(read <= 200, `${read} buckets`);
    assert.ok(sum >= since(now - windowMs), 'nothing is left out');
    assert.ok(sum <= since(now - windowMs - stepOf(windowMs) - 1), 'nothing older than a step counts');
  }
});

test('what another process spends within a minute ahead counts, and what a wrong clock spent in the future does not', () => {
  const now = 1_700_000_000_000;
  const counts = (at: number) =>
    rangesOf(now, 60_000).some(({ width, from, before }) =>
      bucketsOf(at).some((bucket) => bucket.width === width && bucket.startsAt >= from && bucket.startsAt < before),
    );
  assert.equal(counts(now + 59_000), true);
  assert.equal(counts(now + 3 * 24 * 3_600_000), false);
});
