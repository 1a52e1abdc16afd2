/** Spends, reservations, settlements, releases, deletions and removals of old entries at once: no limit is passed, and counters equal entries. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hasLeft, prune } from '../../src/domain/velocity/prune.ts';
import type { EntryState, VelocityEntry } from '../../src/model/velocity-control.ts';
import { liveSteps, totalOf, type Window } from '../../src/model/velocity-window.ts';
import { openStore } from '../../src/store/store.ts';
import type { Store } from '../../src/store/types.ts';
import { engineName } from '../support/database.ts';
import { amount } from '../support/full.ts';
import { fill, finished, idOf, NOW, type Opened, openMigrated } from './fixture.ts';
import { spendOf, velocityControlOf } from './repositories/policies/velocity-row.ts';

const org = idOf('org');
const SECONDS = 3600;
const MOST = 60n;
const rolling: Window = { kind: 'rolling', seconds: SECONDS };
const KEPT = Array.from({ length: 10 }, (_, i) => `kept ${i}`);
const DELETED = ['deleted 0', 'deleted 1'];
const ROUNDS = amount(4, 12, 100);
const AT_ONCE = 60;
const guard = { method: 'SUM' as const, operator: 'LESS_THAN_OR_EQUAL' as const, threshold: MOST, one: 1n, holds: true };

let opened: Opened;
/** On PostgreSQL of two processes: each knows counters as it wrote them last. */
let stores: readonly Store[];
before(async () => {
  opened = await openMigrated();
  const { store, folder, url } = opened;
  stores = url === undefined ? [store] : [store, openStore({ folder, url, poolSize: 8 })];
  const aggregation = { ...velocityControlOf(org, 'x').aggregation, window: { rolling: { duration: String(SECONDS) } } };
  await opened.store.transaction(async (tx) => {
    await fill(tx, org, null);
    for (const name of [...KEPT, ...DELETED]) await tx.velocityControls.insert(velocityControlOf(org, name, { aggregation }));
  });
});
after(async () => {
  for (const store of stores.slice(1)) await store.close();
  await opened.close();
});

/** The same numbers in each run. */
let seed = 7;
const below = (most: number): number => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((seed / 2 ** 32) * most);
};
const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
const shuffled = <T>(of: readonly T[]): T[] =>
  of
    .map((value) => [below(1000), value] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, value]) => value);

let [now, made] = [NOW, 0];
const sends: string[] = [];
const counts = { written: 0, refused: 0, released: 0 };

/** Ten controls, in another order each time. */
const spendsOf = (isReserved: boolean) =>
  shuffled([...KEPT, ...DELETED])
    .slice(0, 10)
    .map((control) => spendOf(control, { window: rolling, amount: BigInt(1 + below(4)), isReserved, guard }));

/** A request gets its time before it is recorded. */
const LATE_MS = 20_000;
const aTime = (): number => now - below(LATE_MS);

/** A deletion makes the facts of a decision stale, and on PostgreSQL the spends of a deleted control too. */
async function signs(): Promise<void> {
  const id = `spend ${++made}`;
  const spends = spendsOf(false);
  const createdAt = aTime();
  for (let tries = 0; tries < 5; tries++) {
    const store = one(stores);
    const { version } = (await store.read.organizations.get(org))!;
    const record = finished(org, id, version);
    const activity = { ...record.activity, createdAt, updatedAt: createdAt };
    const result = await store.record({ ...record, activity, spends });
    if (result !== 'stale') return void counts[result as 'written']++;
  }
}

async function reserves(): Promise<void> {
  const id = idOf(`send ${++made}`);
  const spends = spendsOf(true);
  if (await one(stores).transaction((tx) => tx.velocityCounters.count(org, id, spends, aTime()))) sends.push(id);
}

const settles = (): Promise<void> => {
  const to = one<EntryState>(['mined', 'reserved', 'spent', 'released', 'released']);
  return one(stores).transaction((tx) => tx.velocityCounters.settle(org, one(sends) ?? idOf('none'), to));
};

async function releases(): Promise<void> {
  const store = one(stores);
  const name = { controlId: idOf(one(KEPT)), bucket: '', activityId: one(sends) ?? idOf('none') };
  const entry = await store.read.velocityCounters.entry(org, name);
  if (entry?.state !== 'reserved') return;
  await store
    .transaction((tx) => tx.velocityCounters.release(entry))
    .then(
      () => counts.released++,
      (error) => assert.equal(error.name, 'Busy', String(error)),
    );
}

const deletes = (): Promise<unknown> => one(stores).transaction((tx) => tx.velocityControls.remove(org, idOf(one(DELETED))));
const prunes = (): Promise<unknown> => one(stores).transaction((tx) => prune(tx, {}, now));

const MIX = [signs, signs, signs, signs, signs, reserves, reserves, settles, settles, releases, prunes];

const seen = new Map<string, VelocityEntry>();

async function assertExact(): Promise<void> {
  const { velocityCounters } = opened.store.read;
  for (const control of KEPT) {
    const entries = await velocityCounters.entries(org, idOf(control), '', { limit: 100_000 });
    for (const entry of entries) seen.set(`${control} ${entry.activityId}`, entry);
    const live = entries.filter((entry) => entry.state !== 'released' && !hasLeft(rolling, entry, now));
    const counted = totalOf(liveSteps(rolling, await velocityCounters.steps(org, idOf(control), ''), now)).amount;
    assert.equal(counted, sumOf(live), control);
    assert.ok(counted <= MOST, `${control}: ${counted}`);
  }
}

const sumOf = (entries: readonly VelocityEntry[]): bigint => entries.reduce((sum, entry) => sum + BigInt(entry.amount), 0n);

test(`${ROUNDS} rounds of ${AT_ONCE} at once: no deadlock, and no interval of the window has more than the limit, on ${engineName}`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const work = Array.from({ length: AT_ONCE }, () => (below(AT_ONCE) === 0 ? deletes : one(MIX))());
    await Promise.all(work);
    await assertExact();
    now += below((SECONDS * 1000) / 8);
  }
  for (const control of KEPT) {
    const own = [...seen]
      .filter(([name, { state }]) => name.startsWith(`${control} `) && state !== 'released')
      .map(([, entry]) => entry);
    for (const { createdAt: end } of own) {
      const within = own.filter(({ createdAt }) => createdAt <= end && createdAt > end - SECONDS * 1000);
      assert.ok(sumOf(within) <= MOST, `${control} until ${end}: ${sumOf(within)}`);
    }
  }
  assert.ok(counts.written > 0 && counts.refused > 0 && counts.released > 0, JSON.stringify(counts));
});
