/** Counters against a model, for random reservations, their ends, and moves of the clock. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { prune } from '../../src/domain/velocity/prune.ts';
import type { EntryState } from '../../src/model/velocity-control.ts';
import { liveSteps, roomAt, totalOf, type Window } from '../../src/model/velocity-window.ts';
import { engineName } from '../support/database.ts';
import { amount } from '../support/full.ts';
import fc from '../support/properties.ts';
import { fill, idOf, NOW, type Opened, openMigrated } from './fixture.ts';
import { spendOf, velocityControlOf } from './repositories/policies/velocity-row.ts';
import { sendOf } from './repositories/sends/send-rows.ts';

const org = idOf('org');
const SECONDS = 3600;
const WIDTH = (SECONDS * 1000) / 96;
const MOST = 100n;
const rolling: Window = { kind: 'rolling', seconds: SECONDS };
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, org, null));
});
after(() => opened.close());

/** What counts, by the documents: an amount counts until the step of its time has left the window. */
class Model {
  readonly all: { id: string; value: bigint; step: number; state: EntryState; gone?: true }[] = [];
  latest = 0;
  live(now: number) {
    const since = Math.max(now, this.latest * WIDTH) - SECONDS * 1000;
    return this.all.filter(({ step, state, gone }) => !gone && state !== 'released' && (step + 1) * WIDTH > since);
  }
  sum(now: number): bigint {
    return this.live(now).reduce((sum, { value }) => sum + value, 0n);
  }
  add(id: string, value: bigint, now: number, state: EntryState): boolean {
    if (this.sum(now) + value > MOST) return false;
    this.forget(now);
    this.latest = Math.max(this.latest, Math.floor(now / WIDTH));
    this.all.push({ id, value, step: this.latest, state });
    return true;
  }
  /** What has left does not come back with a clock that is set back. */
  forget(now: number): void {
    const live = this.live(now);
    for (const one of this.all) if (!live.includes(one)) one.gone = true;
  }
  settle(id: string, state: EntryState): void {
    const one = this.all.find((each) => each.id === id && (each.state === 'reserved' || each.state === 'mined'));
    if (one !== undefined) one.state = state;
  }
}

type Move =
  | { is: 'add'; value: bigint; reserves: boolean }
  | { is: 'settle'; nth: number; to: EntryState }
  | { is: 'pass'; ms: number }
  | { is: 'prune' };

const moves = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ is: fc.constant('add' as const), value: fc.bigInt({ min: 1n, max: 40n }), reserves: fc.boolean() }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        is: fc.constant('settle' as const),
        nth: fc.nat(9),
        to: fc.constantFrom<EntryState>('mined', 'reserved', 'spent', 'released', 'released'),
      }),
    },
    { weight: 3, arbitrary: fc.record({ is: fc.constant('pass' as const), ms: fc.integer({ min: -60_000, max: 1_500_000 }) }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant('prune' as const) }) },
  ),
  { maxLength: 40 },
) as fc.Arbitrary<Move[]>;

let runs = 0;

/** Runs the moves on a control of its own, and compares after each. */
async function compared(all: readonly Move[]): Promise<void> {
  const name = `control ${++runs}`;
  const aggregation = { ...velocityControlOf(org, name).aggregation, window: { rolling: { duration: String(SECONDS) } } };
  const { store } = opened;
  await store.transaction((tx) => tx.velocityControls.insert(velocityControlOf(org, name, { aggregation })));
  const guard = { method: 'SUM' as const, operator: 'LESS_THAN_OR_EQUAL' as const, threshold: MOST, one: 1n, holds: true };
  const model = new Model();
  let [now, made] = [NOW, 0];
  const steps = () => store.read.velocityCounters.steps(org, idOf(name), '');
  const add = async (value: bigint, isReserved: boolean): Promise<boolean> => {
    const activityId = idOf(`${name} ${++made}`);
    const spend = spendOf(name, { window: rolling, amount: value, isReserved, guard });
    const isWritten = await store.transaction((tx) => tx.velocityCounters.count(org, activityId, [spend], now));
    assert.equal(model.add(activityId, value, now, isReserved ? 'reserved' : 'spent'), isWritten);
    return isWritten;
  };
  for (const move of all) {
    if (move.is === 'pass') now += move.ms;
    else if (move.is === 'settle') {
      const id = idOf(`${name} ${Math.max(1, made - move.nth)}`);
      await store.transaction((tx) => tx.velocityCounters.settle(org, id, move.to));
      model.settle(id, move.to);
    } else if (move.is === 'prune') {
      await store.transaction(async (tx) => {
        for (let at = await prune(tx, {}, now); at !== undefined; ) at = await prune(tx, at, now);
      });
      // A counter that is gone forgets the clock.
      if ((await steps()).length > 0) continue;
      model.forget(now);
      model.latest = 0;
    } else if (!(await add(move.value, move.reserves))) {
      now = roomAt(rolling, await steps(), now, (left) => left.amount + move.value <= MOST)!;
      assert.ok(await add(move.value, move.reserves), 'there is room at the time that a refusal names');
    }
    assert.equal(totalOf(liveSteps(rolling, await steps(), now)).amount, model.sum(now), move.is);
  }
  const entries = await store.read.velocityCounters.entries(org, idOf(name), '', { limit: 1000 });
  const states = new Map(entries.map(({ activityId, state }) => [activityId, state]));
  for (const { id, state } of model.live(now)) assert.equal(states.get(id), state);
}

test(`a release gives back exactly what was taken, and room comes as a refusal says, on ${engineName}`, async () => {
  await fc.assert(fc.asyncProperty(moves, compared), { numRuns: amount(15, 150, 1000) });
});

test('entries and counters of a deleted control go, and those of a send that may be mined stay', async () => {
  const { store } = opened;
  const passed = NOW + SECONDS * 1000 * 2;
  const prunes = () =>
    store.transaction(async (tx) => {
      for (let at = await prune(tx, {}, passed); at !== undefined; ) at = await prune(tx, at, passed);
    });
  const aggregation = { ...velocityControlOf(org, 'x').aggregation, window: { rolling: { duration: String(SECONDS) } } };
  await store.transaction(async (tx) => {
    for (const name of ['kept', 'deleted']) {
      await tx.velocityControls.insert(velocityControlOf(org, name, { aggregation }));
      await tx.velocityCounters.count(org, idOf(`${name} ended`), [spendOf(name, { window: rolling, isReserved: true })], NOW);
      for (const isReserved of [true, false]) {
        const id = idOf(`${name} ${isReserved}`);
        await tx.velocityCounters.count(org, id, [spendOf(name, { window: rolling, isReserved })], NOW);
      }
    }
    await tx.velocityControls.remove(org, idOf('deleted'));
    await tx.sends.insert(sendOf(org, 'ended', { activityId: idOf('kept ended'), state: 'failed' }));
  });
  await prunes();
  const left = async (name: string) => {
    const rows = await store.read.velocityCounters.entries(org, idOf(name), '', { limit: 10 });
    return [rows.map(({ activityId }) => activityId), await store.read.velocityCounters.buckets(org, idOf(name), { limit: 10 })];
  };
  assert.deepEqual(await left('kept'), [[idOf('kept true')], []]);
  assert.deepEqual(await left('deleted'), [[], []]);
  await store.transaction((tx) => tx.velocityCounters.settle(org, idOf('kept true'), 'released'));
  await prunes();
  assert.deepEqual(await left('kept'), [[], []]);
});
