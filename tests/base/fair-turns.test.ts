import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fairTurns } from '../../src/base/fair-turns.ts';

/** Works that end when they are told to, in the order in which they began. */
function works() {
  const began: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const work = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      began.push(name);
      ends.push((error) => (error ? reject(error) : resolve(name)));
    });
  const settled = () => new Promise(setImmediate);
  const end = async (error?: Error) => {
    ends.shift()!(error);
    await settled();
  };
  return { began, work, end, settled };
}

test('one after another, payer by payer', async () => {
  const { began, work, end, settled } = works();
  const turns = fairTurns({ payer: 10, all: 10 });
  const answers = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => turns(name[0]!, work(name)));
  await settled();
  assert.deepEqual(began, ['a1']);
  for (let i = 0; i < 6; i++) await end();
  assert.deepEqual(began, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  assert.deepEqual(await Promise.all(answers), ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']);
  const again = turns('a', work('again'));
  await settled();
  await end();
  assert.equal(await again, 'again');
});

test('several together, and payers still take turns', async () => {
  const { began, work, end, settled } = works();
  const turns = fairTurns({ payer: 10, all: 10 }, 2);
  const answers = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => turns(name[0]!, work(name)));
  await settled();
  assert.deepEqual(began, ['a1', 'a2']);
  for (let i = 0; i < 5; i++) await end();
  assert.deepEqual(began, ['a1', 'a2', 'a3', 'b1', 'a4']);
  await Promise.all(answers);
  const again = [turns('a', work('x')), turns('b', work('y'))];
  await settled();
  assert.deepEqual(began.slice(5), ['x', 'y']);
  for (let i = 0; i < 2; i++) await end();
  await Promise.all(again);
});

test('few of one payer wait, and few in all', async () => {
  const { work, end, settled } = works();
  const turns = fairTurns({ payer: 2, all: 3 });
  const taken = (payer: string) => turns(payer, work(payer));
  const answers = [taken('a'), taken('a'), taken('a')];
  assert.equal(taken('a'), undefined);
  answers.push(taken('b'));
  assert.equal(taken('c'), undefined);
  await settled();
  await end();
  answers.push(taken('c'));
  assert.ok(!answers.includes(undefined));
  for (let i = 0; i < 4; i++) await end();
  await Promise.all(answers);
});

test('work that fails keeps nobody waiting', async () => {
  const { work, end, settled } = works();
  const turns = fairTurns({ payer: 2, all: 2 });
  const failing = assert.rejects(turns('a', work('a'))!, /broken/);
  const next = turns('b', work('b'));
  await settled();
  await end(new Error('broken'));
  await failing;
  await end();
  assert.equal(await next, 'b');
});
