import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recentAnswer } from '../../../src/chain-io/nodes/recent-answer.ts';
import { clockAt } from './support.ts';

test('all who ask within the time get one answer; what must be fresh, or failed, is asked again', async () => {
  const clock = clockAt(0);
  let asked = 0;
  let fails = false;
  const ask = recentAnswer(clock, 1000, async () => {
    asked++;
    if (fails) throw new Error('no');
    return asked;
  });
  assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [1, 1, 1]);
  clock.move(999);
  assert.equal(await ask(), 1);
  clock.move(1);
  fails = true;
  await Promise.all([assert.rejects(ask()), assert.rejects(ask())]);
  assert.equal(asked, 2);
  fails = false;
  assert.equal(await ask(), 3);
  assert.deepEqual(await Promise.all([ask(true), ask()]), [4, 4]);
});
