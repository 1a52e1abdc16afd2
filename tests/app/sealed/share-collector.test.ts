import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { collectShares } from '../../../src/app/sealed/share-collector.ts';
import { rootId } from '../../../src/custody/roots/root-id.ts';
import { divideKey } from '../../../src/custody/roots/shares.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} } as never;

async function setUp(threshold = 3) {
  const key = randomBytes(32);
  const ids = [rootId('shares', key)];
  const { shares } = await divideKey('shares', key, { threshold, count: 5 }, randomBytes);
  const clock = { at: 1_000_000, now: () => clock.at };
  const rows = { fail: false };
  const rootIds = async () => {
    if (rows.fail) throw new Error('the database does not answer');
    return ids;
  };
  return { shares, clock, rows, ids, collector: collectShares({ elapsed: clock, log: silent, rootIds }) };
}

test('shares are wiped ten minutes after the first one, and not before', async () => {
  const { collector, clock, shares } = await setUp();
  await collector.give(shares[0]!);
  clock.at += 599_999;
  await collector.give(shares[1]!);
  assert.equal(collector.state(), 'sealed, 2 of 3');
  clock.at += 1;
  collector.expire();
  assert.equal(collector.state(), 'sealed, no share was given');
  // Each set has ten minutes of its own.
  await collector.give(shares[0]!);
  clock.at += 500_000;
  await collector.give(shares[3]!);
  const { unsealed } = await collector.give(shares[4]!);
  assert.equal(unsealed, true);
  assert.equal((await collector.opened).symmetricKeySize, 32);
  await assert.rejects(collector.give(shares[1]!), /complete already/);
});

test('a database that does not answer costs no share', async () => {
  const { collector, rows, shares } = await setUp(2);
  await collector.give(shares[0]!);
  rows.fail = true;
  await assert.rejects(collector.give(shares[1]!), /does not answer/);
  rows.fail = false;
  assert.equal(collector.state(), 'sealed, 1 of 2');
  assert.equal((await collector.give(shares[1]!)).unsealed, true);
});

test('a set of a root key that another one has replaced meanwhile is wiped', async () => {
  const { collector, ids, shares } = await setUp(2);
  await collector.give(shares[0]!);
  ids[0] = rootId('shares', randomBytes(32));
  await assert.rejects(collector.give(shares[1]!), /do not give the root key of this instance, and were wiped/);
  assert.equal(collector.state(), 'sealed, no share was given');
});

test('shares that no root key has are refused, and keep those that were given', async () => {
  const { collector, shares } = await setUp();
  await collector.give(shares[0]!);
  const words = shares[1]!.split(' ');
  for (const [text, why] of [
    ['', /has 33 words/],
    ['academic '.repeat(1_000), /has 33 words.*more/],
    [[...words.slice(0, -1), 'nothing'].join(' '), /word 33 is not in the list/],
    [[words[1], words[0], ...words.slice(2)].join(' '), /checksum of the share is wrong/],
    [shares[0]!, /share 1 was given already/],
  ] as const)
    await assert.rejects(
      collector.give(text),
      (error: Error) => why.test(error.message) && !error.message.includes(words.slice(3, 5).join(' ')),
    );
  assert.equal(collector.state(), 'sealed, 1 of 3');
});
