import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { NOW, type Opened, openMigrated } from '../../fixture.ts';

let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

/** How far the time of another process may be ahead. */
const AHEAD = 10;
const keyOf = (name: string): Buffer => Buffer.from(`key of ${name}`);
const spend = (name: string, now: number, { most = 2, window = 100 } = {}) =>
  opened.store.transaction((tx) =>
    tx.rates.spend({ key: keyOf(name), most, now, endsAt: now + window, latest: now + window + AHEAD }),
  );
const stored = (name: string) => opened.store.read.rates.get(keyOf(name));

test(`a window takes as many as it may until it ends, on ${engineName}`, async () => {
  assert.equal(await stored('one'), undefined);
  assert.deepEqual([await spend('one', NOW), await spend('one', NOW + 99)], [true, true]);
  assert.deepEqual(await stored('one'), { key: keyOf('one'), endsAt: NOW + 100, spent: 2 });
  assert.equal(await spend('one', NOW + 99), false);
  assert.equal(await spend('other', NOW + 99), true, 'each key has its own');
  assert.equal(await spend('one', NOW + 99, { most: 3 }), true, 'the limit may be raised meanwhile');
  assert.equal(await spend('one', NOW + 100), true);
  assert.deepEqual(await stored('one'), { key: keyOf('one'), endsAt: NOW + 200, spent: 1 });
});

test('a window from before the time was taken back keeps nobody out', async () => {
  for (const now of [NOW, NOW]) assert.equal(await spend('reset', now), true);
  assert.equal(await spend('reset', NOW - 1000), true);
  assert.deepEqual(await stored('reset'), { key: keyOf('reset'), endsAt: NOW - 900, spent: 1 });
});

test('a process whose time is a little behind goes on with the window of another', async () => {
  for (const now of [NOW, NOW - AHEAD]) assert.equal(await spend('behind', now), true);
  assert.equal(await spend('behind', NOW - AHEAD), false);
  assert.deepEqual(await stored('behind'), { key: keyOf('behind'), endsAt: NOW + 100, spent: 2 });
});

test('of many at once, as many as may are granted', async () => {
  const granted = await Promise.all(Array.from({ length: 20 }, () => spend('raced', NOW, { most: 7 })));
  assert.equal(granted.filter(Boolean).length, 7);
});

test('the time in a transaction that is given up is not spent', async () => {
  const fails = opened.store.transaction(async (tx) => {
    await tx.rates.spend({ key: keyOf('given up'), most: 1, now: NOW, endsAt: NOW + 100, latest: NOW + 100 });
    throw new Error('given up');
  });
  await assert.rejects(fails, /given up/);
  assert.equal(await spend('given up', NOW, { most: 1 }), true);
});

test('windows that ended are forgotten, the oldest first', async () => {
  for (const [i, name] of ['old', 'older', 'oldest'].entries()) await spend(name, 3 - i, { window: 0 });
  const sweep = (before: number, most: number) => opened.store.transaction((tx) => tx.rates.sweep(before, most));
  assert.equal(await sweep(4, 2), 2);
  assert.deepEqual([await stored('oldest'), await stored('older')], [undefined, undefined]);
  assert.ok(await stored('old'));
  assert.equal(await sweep(3, 2), 0, 'one that ends now is not over for others yet');
  assert.equal(await sweep(4, 2), 1);
});
