import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceClock } from '../../src/base/service-clock.ts';
import fc from '../support/properties.ts';

const START = 1_700_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Two clocks that a test moves: `pass` lets time pass on both, `set` makes the machine's clock wrong by this much. */
function clocks(start = START) {
  let passed = 0;
  let wrong = 0;
  const clock = serviceClock({ now: () => START + Math.floor(passed) + wrong }, { now: () => 5000 + passed }, start);
  return {
    clock,
    pass: (ms: number) => {
      passed += ms;
    },
    set: (ms: number) => {
      wrong = ms;
    },
    /** The service's time, without what passed. */
    ahead: () => clock.now() - START - passed,
  };
}

test('a clock that is right is followed', () => {
  const { clock, pass, ahead } = clocks();
  assert.equal(clock.now(), START);
  for (let i = 0; i < 100; i++) {
    pass(7 * MINUTE);
    assert.equal(ahead(), 0);
  }
  assert.deepEqual(clock.difference(), { ms: 0 });
});

test('whatever the machine’s clock does, the time never goes back, and is as fast as elapsed time', () => {
  const step = fc.record({ passed: fc.nat(20 * MINUTE), wrong: fc.integer({ min: -3 * HOUR, max: 3 * HOUR }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: -HOUR, max: HOUR }), (steps, offset) => {
      const { clock, pass, set } = clocks(START + offset);
      let last = clock.now();
      assert.ok(last >= START + offset);
      for (const { passed, wrong } of steps) {
        set(wrong);
        pass(passed);
        const now = clock.now();
        assert.ok(now - last >= Math.floor(passed * 0.999) - 1, `${now - last} in ${passed}`);
        last = now;
      }
    }),
  );
});

test('a leap of a minute is adopted at once, a larger one once it has lasted for ten minutes', () => {
  const { clock, pass, set, ahead } = clocks();
  set(MINUTE);
  assert.equal(ahead(), MINUTE);
  set(HOUR);
  for (let minute = 0; minute < 10; minute++) {
    assert.equal(ahead(), MINUTE, `after ${minute} minutes`);
    assert.deepEqual(clock.difference(), { ms: HOUR - MINUTE, adoptedIn: (10 - minute) * MINUTE });
    pass(MINUTE);
  }
  assert.equal(ahead(), HOUR);
  assert.deepEqual(clock.difference(), { ms: 0 });
});

test('a leap that is taken back in time leaves nothing, and one upon it waits anew', () => {
  const { pass, set, ahead } = clocks();
  set(HOUR);
  assert.equal(ahead(), 0);
  pass(9 * MINUTE);
  set(0);
  assert.equal(ahead(), 0);
  set(HOUR);
  assert.equal(ahead(), 0);
  pass(9 * MINUTE);
  assert.equal(ahead(), 0);
  set(2 * HOUR);
  assert.equal(ahead(), 0);
  pass(9 * MINUTE);
  assert.equal(ahead(), 0);
  pass(MINUTE);
  assert.equal(ahead(), 2 * HOUR);
});

test('elapsed time that nobody looked at does not make a leap older', () => {
  const { pass, set, ahead } = clocks();
  assert.equal(ahead(), 0);
  pass(HOUR);
  set(HOUR);
  assert.equal(ahead(), 0);
});

test('ahead of the machine’s clock, the time runs on, a little slower, until they agree', () => {
  const { clock, pass, set, ahead } = clocks();
  set(-MINUTE);
  assert.equal(ahead(), 0);
  pass(HOUR);
  assert.equal(ahead(), -3600);
  assert.deepEqual(clock.difference(), { ms: 3600 - MINUTE });
  pass(24 * HOUR);
  assert.equal(ahead(), -MINUTE);
  pass(24 * HOUR);
  assert.equal(ahead(), -MINUTE);
});

test('it learns a later time, ignores an earlier one, and goes back in a reset alone', () => {
  const { clock, set, ahead } = clocks();
  clock.learn(START + HOUR);
  assert.equal(ahead(), HOUR);
  clock.learn(START);
  assert.equal(ahead(), HOUR);
  assert.equal(clock.resets, 0);
  clock.reset(START, 1);
  assert.deepEqual([ahead(), clock.resets], [0, 1]);
  set(HOUR);
  assert.equal(ahead(), 0, 'a machine whose clock is still wrong does not bring it back at once');
});
