import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressBuckets, networksOf, SITE_SHARE } from '../../src/limits/addresses.ts';
import { buckets } from '../../src/limits/buckets.ts';
import { UNKNOWN_ADDRESS } from '../../src/model/ip-address.ts';

function clock() {
  let time = 5;
  const pass = (ms: number) => {
    time += ms;
  };
  return { now: () => time, pass };
}
const many = <T>(n: number, work: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => work(i));

test('a bucket gives its burst at once, and then as fast as it fills', () => {
  const time = clock();
  const { take } = buckets({ perSecond: 10, burst: 3 }, time);
  assert.deepEqual(
    many(5, () => take('a')),
    [
      { left: 2, waitMs: 0, again: false },
      { left: 1, waitMs: 0, again: false },
      { left: 0, waitMs: 0, again: false },
      { left: 0, waitMs: 100, again: false },
      { left: 0, waitMs: 100, again: true },
    ],
  );
  assert.equal(take('b').left, 2);
  time.pass(99);
  assert.ok(take('a').waitMs <= 2, 'a refusal takes nothing');
  time.pass(2);
  assert.equal(take('a').waitMs, 0);
  assert.equal(take('a').again, false, 'one was taken since');
  time.pass(1_000_000);
  assert.equal(take('a').left, 2, 'it holds no more than its burst');
});

test('a slow rate says how long to wait', () => {
  const time = clock();
  const { take } = buckets({ perSecond: 0.1, burst: 1 }, time);
  take('a');
  assert.equal(take('a').waitMs, 10_000);
  time.pass(2500);
  assert.equal(take('a').waitMs, 7500);
});

test('no more buckets are kept than may be, and the one in use stays', () => {
  const { take } = buckets({ perSecond: 1, burst: 2 }, clock(), 100);
  for (let i = 0; i < 1000; i++) {
    take(`passer-by ${i}`);
    if (i % 10 === 0) take('steady');
  }
  assert.ok(take('steady').waitMs > 0);
  assert.equal(take('passer-by 1').left, 1, 'forgotten');
});

test('an address is itself, a /64 with its /48, or one of those of whom nothing is known', () => {
  assert.deepEqual(networksOf('192.0.2.7'), ['192.0.2.7']);
  assert.deepEqual(networksOf('2001:db8:1:2:3:4:5:6'), ['2001:db8:1:2::/64', '2001:db8:1::/48']);
  assert.deepEqual(networksOf('2001:db8::1'), ['2001:db8:0:0::/64', '2001:db8:0::/48']);
  assert.deepEqual(networksOf('::1'), ['0:0:0:0::/64', '0:0:0::/48']);
  assert.deepEqual(networksOf(UNKNOWN_ADDRESS), [UNKNOWN_ADDRESS]);
  assert.equal(networksOf(undefined).length, 1);
  assert.notDeepEqual(networksOf(undefined), networksOf(UNKNOWN_ADDRESS), 'who hangs up early spends nothing of others');
});

test('from any addresses of one IPv6 network comes what may come from one', () => {
  const { take } = addressBuckets({ perSecond: 1, burst: 4 }, clock());
  const taken = many(20, (i) => take(`2001:db8:1:2::${i.toString(16)}`));
  assert.equal(taken.filter(({ waitMs }) => waitMs === 0).length, 4);
  assert.equal(take('2001:db8:1:3::1').waitMs, 0, 'the neighbour is another customer');
});

test('from all networks of one site comes as much as from sixteen of them', () => {
  const { take } = addressBuckets({ perSecond: 1, burst: 4 }, clock());
  const taken = many(200, (i) => many(4, () => take(`2001:db8:1:${i.toString(16)}::1`))).flat();
  assert.equal(taken.filter(({ waitMs }) => waitMs === 0).length, 4 * SITE_SHARE);
  assert.equal(take('2001:db8:2::1').waitMs, 0);
});
