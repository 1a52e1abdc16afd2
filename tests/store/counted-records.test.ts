import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Operator, Spend } from '../../src/model/velocity-spend.ts';
import { openStore } from '../../src/store/store.ts';
import type { FinishedRecord, Store } from '../../src/store/types.ts';
import { engineName } from '../support/database.ts';
import { digestOf, fill, finished, idOf, type Opened, openMigrated } from './fixture.ts';
import { spendOf, velocityControlOf } from './repositories/policies/velocity-row.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, org, null));
  for (const name of ['limit', 'other', 'exact'])
    await opened.store.transaction((tx) => tx.velocityControls.insert(velocityControlOf(org, name)));
});
after(() => opened.close());

const guard = (threshold: bigint, operator: Operator = 'LESS_THAN_OR_EQUAL', holds = true) => ({
  guard: { method: 'SUM' as const, operator, threshold, one: 1n, holds },
});

async function record(id: string, spends: readonly Spend[], more: Partial<FinishedRecord> = {}) {
  const { version } = (await opened.store.read.organizations.get(org))!;
  return opened.store.record({ ...finished(org, id, version), spends, ...more });
}

async function counted(control: string, bucket = ''): Promise<[counter: bigint, entries: bigint]> {
  const steps = await opened.store.read.velocityCounters.steps(org, idOf(control), bucket);
  const rows = await opened.raw(
    'SELECT amount FROM velocity_entries WHERE control_id = $1 AND bucket = $2',
    idOf(control),
    bucket,
  );
  const sum = (amounts: readonly bigint[]) => amounts.reduce((all, one) => all + one, 0n);
  return [sum(steps.map(({ amount }) => amount)), sum(rows.map(({ amount }) => BigInt(amount as string)))];
}

test(`records that fit are written with what they count, and the others not at all, on ${engineName}`, async () => {
  const spends = [spendOf('limit', { amount: 3n, ...guard(10n) }), spendOf('other', { bucket: 'b', amount: 1n })];
  const names = Array.from({ length: 8 }, (_, i) => `spend ${i}`);
  const results = await Promise.all(names.map((id) => record(id, spends)));
  assert.deepEqual(results.toSorted(), [...Array(5).fill('refused'), ...Array(3).fill('written')]);
  assert.deepEqual(
    [await counted('limit'), await counted('other', 'b')],
    [
      [9n, 9n],
      [3n, 3n],
    ],
  );
  for (const [i, id] of names.entries())
    assert.equal((await opened.store.read.activities.get(org, idOf(id))) !== undefined, results[i] === 'written');
});

test('a record that is stale, or exists, counts nothing', async () => {
  const before = await counted('other', 'b');
  const spends = [spendOf('other', { bucket: 'b', amount: 1n })];
  assert.equal(await record('stale', spends, { facts: [{ organizationId: org, version: 99 }] }), 'stale');
  const again = { ...finished(org, 'again', 0).activity, fingerprint: digestOf('spend of another') };
  assert.equal(await record('spend of another', spends), 'written');
  assert.equal(await record('again', spends, { activity: again }), 'exists');
  assert.deepEqual(await counted('other', 'b'), [before[0] + 1n, before[1] + 1n]);
});

test('a guard that rested on a record of the same batch that was not written is judged again', async () => {
  const exactly = (threshold: bigint) => [spendOf('exact', { amount: 1n, ...guard(threshold, 'EQUAL') })];
  const [stale, second] = await Promise.all([
    record('never', exactly(1n), { facts: [{ organizationId: org, version: 99 }] }),
    record('second', exactly(2n)),
  ]);
  assert.deepEqual([stale, second], ['stale', 'refused']);
  assert.deepEqual(await counted('exact'), [0n, 0n]);
});

test('a record whose control was deleted makes no other record of its batch stale', async () => {
  const [gone, fine] = await Promise.all([
    record('of a deleted control', [spendOf('deleted', { amount: 1n })]),
    record('beside it', [spendOf('other', { bucket: 'beside', amount: 1n })]),
  ]);
  // SQLite writes each alone. There the facts of the decision tell that the control is gone.
  assert.deepEqual([gone, fine], [engineName === 'postgres' ? 'stale' : 'written', 'written']);
  assert.deepEqual(await counted('other', 'beside'), [1n, 1n]);
});

test('a guarded spend that adds nothing is checked and leaves no row', async () => {
  const nothing = { amount: 0n, count: 0 };
  assert.equal(await record('checked', [spendOf('exact', { ...nothing, ...guard(0n) })]), 'written');
  assert.equal(await record('unchecked', [spendOf('exact', { ...nothing, ...guard(0n, 'LESS_THAN') })]), 'refused');
  const rows = await opened.raw('SELECT * FROM velocity_entries WHERE control_id = $1', idOf('exact'));
  assert.deepEqual(rows, []);
});

test('a process that knows a counter as it was counts by the counter as it is', async () => {
  const { folder, url, store } = opened;
  // One process writes to SQLite.
  const second = url === undefined ? store : openStore({ folder, url, poolSize: 8 });
  try {
    const [most, tries] = [100n, 80];
    const { version } = (await opened.store.read.organizations.get(org))!;
    const spends = [spendOf('limit', { bucket: 'shared', amount: 2n, ...guard(most) })];
    const write = (store: Store, name: string, isReserved = false) =>
      store.record({ ...finished(org, name, version), spends: spends.map((spend) => ({ ...spend, isReserved })) });
    // The stores take turns, then a release changes what both know, then all are at once.
    for (let i = 0; i < 4; i++) assert.equal(await write(i % 2 === 0 ? opened.store : second, `turn ${i}`, i === 3), 'written');
    await opened.store.transaction((tx) => tx.velocityCounters.settle(org, idOf('turn 3'), 'released'));
    assert.equal(await write(second, 'after the release'), 'written');
    const results = await Promise.all(
      Array.from({ length: tries }, (_, i) => write(i % 2 === 0 ? opened.store : second, `both ${i}`)),
    );
    assert.equal(results.filter((result) => result === 'written').length, 46);
    // The released entry keeps its amount.
    assert.deepEqual(await counted('limit', 'shared'), [most, most + 2n]);
  } finally {
    if (second !== store) await second.close();
  }
});

test('a counter whose write was rolled back counts without it', async () => {
  const spends = [spendOf('limit', { bucket: 'undone', amount: 10n, ...guard(100n) })];
  assert.equal(await record('undone before', spends), 'written');
  const { version } = (await opened.store.read.organizations.get(org))!;
  const broken = { ...finished(org, 'broken', version).activity, fingerprint: 'no digest' };
  // SQLite undoes what shares the commit.
  const both = await Promise.allSettled([record('undone beside', spends), record('broken', spends, { activity: broken })]);
  assert.equal(both[1].status, 'rejected');
  const all = both[0].status === 'fulfilled' ? 20n : 10n;
  assert.deepEqual(await counted('limit', 'undone'), [all, all]);
  assert.equal(await record('undone behind', spends), 'written');
  assert.deepEqual(await counted('limit', 'undone'), [all + 10n, all + 10n]);
});

test('a record with a guard that fails leaves the counters of its other spends as they were', async () => {
  const fits = (bucket: string) => spendOf('limit', { bucket, amount: 3n, ...guard(100n) });
  const full = spendOf('other', { bucket: 'full', amount: 3n, ...guard(2n) });
  assert.equal(await record('of one', [fits('one of two')]), 'written');
  assert.equal(await record('of two', [fits('one of two'), fits('new of two'), full]), 'refused');
  assert.deepEqual(
    [await counted('limit', 'one of two'), await counted('limit', 'new of two')],
    [
      [3n, 3n],
      [0n, 0n],
    ],
  );
  assert.equal(
    (await opened.raw('SELECT * FROM velocity_counters WHERE bucket = $1', 'new of two')).length,
    engineName === 'sqlite' ? 0 : 1,
  );
  assert.equal(await record('of one again', [fits('one of two')]), 'written');
  assert.deepEqual(await counted('limit', 'one of two'), [6n, 6n]);
});

test('records that count share a statement, and one that does not fit is told apart', async () => {
  const spends = [spendOf('limit', { bucket: 'known', amount: 1n, ...guard(100n) })];
  for (const id of ['known 1', 'known 2']) assert.equal(await record(id, spends), 'written');
  const before = await counted('limit', 'known');
  const again = { ...finished(org, 'body again', 0).activity, fingerprint: digestOf('known 2') };
  const results = await Promise.all([
    record('known 3', spends),
    record('stale again', spends, { facts: [{ organizationId: org, version: 99 }] }),
    record('body again', spends, { activity: again }),
    record('known 4', spends),
  ]);
  assert.deepEqual(results, ['written', 'stale', 'exists', 'written']);
  const same = await Promise.all([record('known 5', spends), record('known 5', spends)]);
  assert.deepEqual(same.toSorted(), ['exists', 'written']);
  assert.deepEqual(await counted('limit', 'known'), [before[0] + 3n, before[1] + 3n]);
});
