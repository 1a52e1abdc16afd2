/** Counters against a model, for random reservations, their ends, and moves of the clock. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { prune } from '../../src/domain/velocity/prune.ts';
import { keepControl, removeControl, removeDue } from '../../src/domain/velocity/removal.ts';
import type { EntryState } from '../../src/model/velocity-control.ts';
import { liveSteps, roomAt, totalOf, type Window } from '../../src/model/velocity-window.ts';
import { openStore } from '../../src/store/store.ts';
import type { Store, Writer } from '../../src/store/types.ts';
import { engineName } from '../support/database.ts';
import { amount } from '../support/full.ts';
import fc from '../support/properties.ts';
import { digestOf, fill, finished, idOf, NOW, type Opened, openMigrated } from './fixture.ts';
import { spendOf, velocityControlOf } from './repositories/policies/velocity-row.ts';
import { sendOf } from './repositories/sends/send-rows.ts';
import { CASES, type Case, feeIn, MOST, Model, rolling, SECONDS } from './velocity-model.ts';

const org = idOf('org');
const guard = { method: 'SUM' as const, operator: 'LESS_THAN_OR_EQUAL' as const, threshold: MOST, one: 1n, holds: true };
let opened: Opened;
/** On PostgreSQL another process, which knows counters as it wrote them last. */
let other: Store | undefined;
before(async () => {
  opened = await openMigrated();
  const { folder, url } = opened;
  if (url !== undefined) other = openStore({ folder, url, poolSize: 2 });
  await opened.store.transaction((tx) => fill(tx, org, null));
});
after(async () => {
  await other?.close();
  await opened.store.close();
  await opened.drop();
});

type Move =
  | { is: 'add'; value: bigint; reserves: boolean }
  | { is: 'record'; value: bigint; reserves: boolean; byOther: boolean; fails?: 'stale' | 'exists' | 'refused' | undefined }
  | { is: 'replace'; nth: number; value: bigint }
  | { is: 'crash'; value: bigint; reopens: boolean }
  | { is: 'settle'; nth: number; to: EntryState; paid?: bigint | undefined }
  | { is: 'pass'; ms: number }
  | { is: 'prune' }
  | { is: 'delete' }
  | { is: 'keep' };

const value = fc.bigInt({ min: 1n, max: 40n });
const only = <Is extends string>(is: Is) => fc.record({ is: fc.constant(is) });
const ofWeight = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
const moves = fc.array(
  fc.oneof(
    ofWeight(4, fc.record({ is: fc.constant('add' as const), value, reserves: fc.boolean() })),
    ofWeight(
      10,
      fc.record({
        is: fc.constant('record' as const),
        value,
        reserves: fc.boolean(),
        byOther: fc.boolean(),
        fails: fc.constantFrom(undefined, undefined, undefined, undefined, 'stale', 'exists', 'refused'),
      }),
    ),
    ofWeight(2, fc.record({ is: fc.constant('replace' as const), nth: fc.nat(9), value })),
    ofWeight(
      8,
      fc.record({
        is: fc.constant('settle' as const),
        nth: fc.nat(9),
        to: fc.constantFrom<EntryState>('mined', 'reserved', 'spent', 'released', 'released'),
        paid: fc.option(fc.bigInt({ min: 0n, max: 30n }), { nil: undefined }),
      }),
    ),
    ofWeight(6, fc.record({ is: fc.constant('pass' as const), ms: fc.integer({ min: -400_000, max: 1_500_000 }) })),
    ofWeight(2, only('prune' as const)),
    ofWeight(1, only('delete' as const)),
    ofWeight(1, only('keep' as const)),
    ofWeight(1, fc.record({ is: fc.constant('crash' as const), value, reopens: fc.boolean() })),
  ),
  { maxLength: 40, size: 'max' },
) as fc.Arbitrary<Move[]>;

class NoRoom extends Error {}

const policies = { controlsIn: () => [] };

let runs = 0;

/** A control that can be deleted. Then another one has its identifier, and starts at zero. */
class Control {
  name = '';
  removesAt: number | undefined;
  readonly identifier = `limit_${++runs}`;
  readonly delay: number;
  readonly window: Window;
  constructor(delay: number, window: Window) {
    this.delay = delay;
    this.window = window;
  }
  get id(): string {
    return idOf(this.name);
  }
  async create(): Promise<void> {
    this.name = `control ${++runs}`;
    this.removesAt = undefined;
    const { window } = this;
    const isRolling = window.kind === 'rolling';
    const given = isRolling ? { rolling: { duration: String(SECONDS) } } : { infinite: {} };
    const aggregation = { ...velocityControlOf(org, 'x').aggregation, window: given };
    const removalDelay = String(this.delay / 1000);
    const countersign = window.kind === 'calendar' ? { removalDelay, window: { calendar: window } } : { removalDelay };
    const row = velocityControlOf(org, this.name, { identifier: this.identifier, aggregation, countersign });
    assert.ok(await opened.store.transaction((tx) => tx.velocityControls.insert(row)));
  }
  private async changes(change: (ctx: Parameters<typeof removeControl>[0]) => Promise<unknown>, now: number): Promise<boolean> {
    await opened.store.transaction((store) =>
      change({ organization: { id: org }, store, policies, now, after: () => {} } as never),
    );
    if ((await opened.store.read.velocityControls.get(org, this.id)) !== undefined) return false;
    await this.create();
    return true;
  }
  /** True if it is gone. One that is removed later stays until then. */
  async remove(now: number): Promise<boolean> {
    if (this.removesAt !== undefined) return false;
    if (this.delay > 0) this.removesAt = now + this.delay;
    return this.changes((ctx) => removeControl(ctx, this.id), now);
  }
  async keep(now: number): Promise<void> {
    if (this.removesAt !== undefined) await this.changes((ctx) => keepControl(ctx, this.id), now);
    this.removesAt = undefined;
  }
  /** What the worker does with the message of a removal, at any time. */
  async removeDue(now: number): Promise<boolean> {
    const { removesAt } = this;
    if (removesAt === undefined) return false;
    const isGone = await this.changes((ctx) => removeDue(ctx, { id: this.id, removesAt }), now);
    assert.equal(isGone, now >= removesAt);
    return isGone;
  }
}

async function reopen(): Promise<void> {
  const { store, folder, url } = opened;
  await store.close();
  opened.store = openStore({ folder, url, poolSize: 8 });
}

/** Runs the moves on a control of its own, and compares after each. */
async function compared(all: readonly Move[], of: Case, delay: number): Promise<void> {
  const { window } = of;
  const control = new Control(delay, window);
  await control.create();
  let model = new Model(of);
  let now = of.start;
  const made: string[] = [];
  const steps = () => opened.store.read.velocityCounters.steps(org, control.id, '');
  const added = (amount: bigint, isReserved: boolean) => {
    made.unshift(idOf(`${control.name} ${made.length}`));
    const spend = spendOf(control.name, { window, amount, isReserved, guard, fee: feeIn(amount) });
    return (tx: Writer) => tx.velocityCounters.count(org, made[0]!, [spend], now);
  };
  const add = async (amount: bigint, isReserved: boolean): Promise<boolean> => {
    const isWritten = await opened.store.transaction(added(amount, isReserved));
    assert.equal(model.add(made[0]!, amount, now, isReserved ? 'reserved' : 'spent'), isWritten);
    return isWritten;
  };
  /** As a signature is recorded. `refused`: another counter of it has no room. */
  const record = async ({ value: amount, reserves, byOther, fails }: Extract<Move, { is: 'record' }>): Promise<void> => {
    const store = (byOther && other) || opened.store;
    const name = `${control.name} ${made.length}`;
    made.unshift(idOf(name));
    const { version } = (await store.read.organizations.get(org))!;
    const times = { createdAt: now, updatedAt: now };
    const more = fails === 'exists' ? { ...times, fingerprint: digestOf('activity') } : times;
    const own = spendOf(control.name, { window, amount, isReserved: reserves, guard, fee: feeIn(amount) });
    const beside = { ...own, bucket: 'beside', guard: { ...guard, threshold: 0n } };
    const spends = fails === 'refused' ? [own, beside] : [own];
    const fits = model.sum(now) + amount <= MOST;
    const wanted = fits ? (fails ?? 'written') : 'refused';
    assert.equal(
      await store.record({ ...finished('org', name, fails === 'stale' ? version - 1 : version, more), spends }),
      wanted,
    );
    if (wanted === 'written') assert.ok(model.add(idOf(name), amount, now, reserves ? 'reserved' : 'spent'));
  };
  const replace = async (nth: number, amount: bigint): Promise<void> => {
    const old = made[nth] ?? idOf('none');
    const count = added(amount, true);
    const written = opened.store.transaction(async (tx) => {
      await tx.velocityCounters.settle(org, old, 'released');
      if (!(await count(tx))) throw new NoRoom();
    });
    const isWritten = await written.then(
      () => true,
      (error) => {
        assert.ok(error instanceof NoRoom, String(error));
        return false;
      },
    );
    assert.equal(isWritten, model.replace(old, made[0]!, amount, now));
  };
  const renewed = (isGone: boolean) => {
    if (isGone) model = new Model(of);
  };
  for (const move of all) {
    if (move.is === 'pass') {
      now += move.ms * of.scale;
      renewed(await control.removeDue(now));
    } else if (move.is === 'delete') renewed(await control.remove(now));
    else if (move.is === 'keep') await control.keep(now);
    else if (move.is === 'record') await record(move);
    else if (move.is === 'replace') await replace(move.nth, move.value);
    else if (move.is === 'crash') {
      const count = added(move.value, true);
      const lost = opened.store.transaction(async (tx) => {
        await count(tx);
        throw new Error('before the commit');
      });
      await assert.rejects(lost, /before the commit/);
      if (move.reopens) await reopen();
    } else if (move.is === 'settle') {
      // It may be of a control that is deleted.
      const id = made[move.nth] ?? idOf('none');
      const { to } = move;
      const paid = move.paid === undefined ? undefined : new Map([[control.id, move.paid]]);
      await opened.store.transaction((tx) => tx.velocityCounters.settle(org, id, to, { paid, keepsFee: paid !== undefined }));
      model.settle(id, to, move.paid);
    } else if (move.is === 'prune') {
      await opened.store.transaction(async (tx) => {
        for (let at = await prune(tx, {}, now); at !== undefined; ) at = await prune(tx, at, now);
      });
      // A counter that is gone forgets the clock.
      if ((await steps()).length === 0) {
        model.forget(now);
        model.latest = 0;
      }
    } else if (!(await add(move.value, move.reserves))) {
      now = roomAt(window, await steps(), now, (left) => left.amount + move.value <= MOST)!;
      renewed(await control.removeDue(now));
      assert.ok(await add(move.value, move.reserves), 'there is room at the time that a refusal names');
    }
    assert.equal(totalOf(liveSteps(window, await steps(), now)).amount, model.sum(now), move.is);
  }
  const entries = await opened.store.read.velocityCounters.entries(org, control.id, '', { limit: 1000 });
  const states = new Map(entries.map(({ activityId, state, amount }) => [activityId, `${state} ${amount}`]));
  for (const { id, state, value } of model.live(now)) assert.equal(states.get(id), `${state} ${value}`);
  await opened.store.transaction((tx) => tx.velocityControls.remove(org, control.id));
}

test(`a release gives back exactly what was taken, and room comes as a refusal says, on ${engineName}`, async () => {
  const delays = fc.constantFrom(0, 1_800_000);
  const property = fc.asyncProperty(moves, fc.constantFrom(...CASES), delays, compared);
  await fc.assert(property, { numRuns: amount(15, 100, 1000) });
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

test('a release of an entry whose fee was given back since it was read changes nothing', async () => {
  const { store } = opened;
  const send = idOf('raced send');
  await store.transaction(async (tx) => {
    await tx.velocityControls.insert(velocityControlOf(org, 'raced'));
    await tx.velocityCounters.count(org, send, [spendOf('raced', { isReserved: true, amount: 100n, fee: 30n })], NOW);
  });
  const [seen] = await store.read.velocityCounters.entries(org, idOf('raced'), '', { limit: 1 });
  const paid = new Map([[idOf('raced'), 10n]]);
  await store.transaction((tx) => tx.velocityCounters.settle(org, send, 'reserved', { keepsFee: true, paid }));
  await assert.rejects(
    store.transaction((tx) => tx.velocityCounters.release(seen!)),
    /the send of the entry changed meanwhile/,
  );
  assert.equal(totalOf(await store.read.velocityCounters.steps(org, idOf('raced'), '')).amount, 80n);
});
