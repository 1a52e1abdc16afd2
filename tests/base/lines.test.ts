import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { lines, type Turn } from '../../src/base/lines.ts';

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

const settled = () => new Promise(setImmediate);

/** The callers that got their turn or continued without one, in this order. */
function visitors(bounds = { turnMs: 50, patienceMs: 200 }) {
  const line = lines(bounds);
  const came: string[] = [];
  const turns = new Map<string, Turn>();
  const enter = (name: string, key = 'a') =>
    void line(key).then((turn) => {
      came.push(turn.hasEnded() ? `${name} without` : name);
      turns.set(name, turn);
    });
  const end = async (name: string) => {
    turns.get(name)!.end();
    await settled();
  };
  const pass = async (ms: number) => {
    mock.timers.tick(ms);
    await settled();
  };
  return { came, enter, end, pass, turns };
}

test('one at a time for each key, in the order of arrival', async () => {
  const { came, enter, end } = visitors();
  for (const name of ['first', 'second', 'third']) enter(name);
  enter('other', 'b');
  await settled();
  assert.deepEqual(came, ['first', 'other']);
  await end('first');
  await end('first');
  await end('other');
  assert.deepEqual(came, ['first', 'other', 'second']);
  await end('second');
  await end('third');
  assert.deepEqual(came, ['first', 'other', 'second', 'third']);
  // Nothing is left of the line.
  enter('later');
  await settled();
  assert.equal(came.at(-1), 'later');
});

test('a turn that lasts too long is over, and its late end lets nobody else in', async () => {
  const { came, enter, end, pass, turns } = visitors();
  for (const name of ['slow', 'second', 'third']) enter(name);
  await pass(49);
  assert.deepEqual(came, ['slow']);
  await pass(1);
  assert.deepEqual(came, ['slow', 'second']);
  assert.deepEqual([turns.get('slow')!.hasEnded(), turns.get('second')!.hasEnded()], [true, false]);
  await end('slow');
  assert.deepEqual(came, ['slow', 'second']);
  await end('second');
  assert.deepEqual(came, ['slow', 'second', 'third']);
});

test('a waiter that has waited long enough goes on without a turn, and leaves the line', async () => {
  const { came, enter, end, pass } = visitors({ turnMs: 1_000, patienceMs: 200 });
  enter('slow');
  enter('second');
  await pass(150);
  enter('third');
  await pass(50);
  assert.deepEqual(came, ['slow', 'second without']);
  await end('second');
  assert.deepEqual(came, ['slow', 'second without']);
  await end('slow');
  assert.deepEqual(came, ['slow', 'second without', 'third']);
  await pass(200);
  assert.equal(came.length, 3);
});
