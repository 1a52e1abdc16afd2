import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Comparison, counted, type Operator, satisfies } from '../../src/model/velocity-spend.ts';
import { liveSteps, roomAt, type Step, totalOf, type Window } from '../../src/model/velocity-window.ts';
import { amount } from '../support/full.ts';
import fc from '../support/properties.ts';

const START = Date.parse('2026-10-20T00:00:00Z');
const MOST = 1000n;

const limit = (threshold: bigint, operator: Operator = 'LESS_THAN_OR_EQUAL'): Comparison => ({
  method: 'SUM',
  operator,
  threshold,
  one: 1n,
});

/** The steps with an amount, or undefined where it does not fit. */
const added = (window: Window, steps: readonly Step[], value: bigint, now: number) => {
  const guard = { ...limit(MOST), holds: true };
  return counted({ controlId: '', bucket: '', window, amount: value, count: 1, guard }, steps, now);
};

/** The model: what was accepted, each at its time. Two times share a window if the condition says so. */
type Accepted = { at: number; value: bigint };
const sumOf = (all: readonly Accepted[], isIn: (one: Accepted) => boolean): bigint =>
  all.filter(isIn).reduce((sum, { value }) => sum + value, 0n);

/** Times pass, mostly little: amounts are asked for at each. */
const spends = (longest: number) =>
  fc.array(fc.tuple(fc.oneof(fc.nat(Math.ceil(longest / 50)), fc.nat(longest)), fc.bigInt({ min: 1n, max: MOST })), {
    maxLength: 60,
  });

function run(
  window: Window,
  asked: readonly (readonly [number, bigint])[],
  judge: (all: Accepted[], now: number, value: bigint, fits: boolean, steps: readonly Step[]) => void,
) {
  let steps: readonly Step[] = [];
  let now = START;
  const all: Accepted[] = [];
  for (const [passed, value] of asked) {
    now += passed;
    const more = added(window, steps, value, now);
    if (more !== undefined) all.push({ at: now, value });
    judge(all, now, value, more !== undefined, steps);
    steps = more ?? steps;
  }
}

const runs = { numRuns: amount(100, 1000, 5000) };

test('in every interval of a rolling window the sum is at most the limit, and room comes a 96th late at most', () => {
  const seconds = fc.constantFrom(60, 61, 3600, 86_400, 366 * 86_400);
  const property = fc.property(
    seconds.chain((each) => fc.tuple(fc.constant(each), spends(each * 2000))),
    ([each, asked]) => {
      const [length, width] = [each * 1000, Math.ceil((each * 1000) / 96)];
      const window: Window = { kind: 'rolling', seconds: each };
      run(window, asked, (all, now, value, fits, steps) => {
        const since = (start: number) => sumOf(all, ({ at }) => at >= start);
        if (fits) return assert.ok(since(now - length) <= MOST);
        assert.ok(since(now - length - width) + value > MOST, 'room came too late');
        const room = roomAt(window, steps, now, (left) => left.amount + value <= MOST)!;
        assert.ok(room > now && room <= now + length + width);
        assert.ok(added(window, steps, value, room) !== undefined, 'there is room at the time that was named');
        assert.ok(added(window, steps, value, room - 1) === undefined, 'there was none before');
      });
    },
  );
  fc.assert(property, runs);
});

const localDate = (now: number, zone: string): string => new Date(now).toLocaleDateString('en-CA', { timeZone: zone });

function periodOf(now: number, unit: 'day' | 'week' | 'month', zone: string): string {
  const date = localDate(now, zone);
  if (unit === 'day') return date;
  if (unit === 'month') return date.slice(0, 7);
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}

test('a calendar counts by the local date, also over the change of the clocks and the end of a month', () => {
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu');
  const units = fc.constantFrom('day', 'week', 'month' as const);
  const property = fc.property(zones, units, spends(12 * 86_400_000), (zone, unit, asked) => {
    const window: Window = { kind: 'calendar', unit: unit as 'day', zone };
    run(window, asked, (all, now, value, fits, steps) => {
      const own = periodOf(now, unit as 'day', zone);
      const sum = sumOf(all, ({ at }) => periodOf(at, unit as 'day', zone) === own);
      if (fits) return assert.ok(sum <= MOST);
      assert.ok(sum + value > MOST);
      const room = roomAt(window, steps, now, (left) => left.amount + value <= MOST)!;
      assert.notEqual(periodOf(room, unit as 'day', zone), own);
      assert.equal(periodOf(room - 1, unit as 'day', zone), own);
    });
  });
  fc.assert(property, runs);
});

test('a clock that goes back gives no room, and one that returns gives it when it would have come', () => {
  const window: Window = { kind: 'rolling', seconds: 60 };
  const full = added(window, [], MOST, START)!;
  for (const now of [START - 1, START - 60_000, START - 1e9, START + 59_999])
    assert.equal(added(window, full, 1n, now), undefined, String(now - START));
  assert.ok(added(window, full, 1n, START + 60_000 + 625));
});

test('a spend that is recorded after a later one is judged by its own time', () => {
  const window: Window = { kind: 'rolling', seconds: 60 };
  // Steps of 625 ms: the first has left at the later time, and not at the earlier one.
  const later = added(window, added(window, [], MOST, 624)!, 1n, 60_625)!;
  assert.equal(added(window, later, MOST - 1n, 60_623), undefined);
  assert.ok(added(window, later, MOST - 1n, 60_625));
  const day: Window = { kind: 'calendar', unit: 'day', zone: 'UTC' };
  const midnight = 86_400_000;
  const next = added(day, added(day, [], MOST, midnight / 2)!, 1n, midnight)!;
  assert.equal(added(day, next, 1n, midnight - 1), undefined);
  assert.equal(
    roomAt(day, next, midnight - 1, (left) => left.amount + 1n <= MOST),
    midnight,
    'the later day has room',
  );
  assert.ok(added(day, next, MOST - 1n, midnight));
  // Two that are late together.
  const two = added(day, added(day, added(day, [], 1n, midnight / 2)!, 1n, midnight)!, MOST - 2n, midnight - 1)!;
  assert.equal(added(day, two, 1n, midnight - 1), undefined);
});

test('lifetimes and single activities have no room later', () => {
  const full = added({ kind: 'infinite' }, [], MOST, START)!;
  assert.equal(added({ kind: 'infinite' }, full, 1n, START + 1e12), undefined);
  assert.equal(
    roomAt({ kind: 'infinite' }, full, START, () => true),
    undefined,
  );
  assert.deepEqual(added({ kind: 'transaction' }, [], MOST, START), []);
  assert.equal(added({ kind: 'transaction' }, [], MOST + 1n, START), undefined);
});

test('sums and counts are compared exactly, with whole and broken thresholds', () => {
  const half = { ...limit(5n), one: 10n };
  const total = (value: bigint, count: number) => ({ amount: value, count });
  for (const [operator, below, at, above] of [
    ['LESS_THAN', true, false, false],
    ['LESS_THAN_OR_EQUAL', true, true, false],
    ['EQUAL', false, true, false],
    ['GREATER_THAN_OR_EQUAL', false, true, true],
    ['GREATER_THAN', false, false, true],
  ] as const) {
    const holds = [4n, 5n, 6n].map((value) => satisfies({ ...half, operator }, total(value, 99)));
    assert.deepEqual(holds, [below, at, above], operator);
  }
  // A threshold of 0.5 executions.
  assert.deepEqual(
    [0, 1].map((count) => satisfies({ ...half, method: 'COUNT' }, total(99n, count))),
    [true, false],
  );
  const wide = 2n ** 256n - 1n;
  const two = added({ kind: 'infinite' }, [{ number: 0, amount: wide, count: 1 }], 1n, START);
  assert.equal(two, undefined);
  assert.equal(
    totalOf([
      { number: 0, amount: wide, count: 1 },
      { number: 1, amount: wide, count: 1 },
    ]).amount,
    2n ** 257n - 2n,
  );
});

test('formats of zones are kept for 200 spellings at most', (t) => {
  const made = t.mock.method(Intl, 'DateTimeFormat');
  const window = (zone: string): Window => ({ kind: 'calendar', unit: 'day', zone });
  const spelling = (i: number) => [...'rgentina'].map((letter, at) => ((i >> at) & 1 ? letter.toUpperCase() : letter)).join('');
  const ask = (i: number) => liveSteps(window(`America/A${spelling(i)}/Buenos_Aires`), [{ number: 0, amount: 1n, count: 1 }], 0);
  for (let i = 0; i < 240; i++) ask(i);
  const before = made.mock.callCount();
  ask(239);
  assert.equal(made.mock.callCount(), before);
  ask(0);
  assert.equal(made.mock.callCount(), before + 1);
});
