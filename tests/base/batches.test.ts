import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batched } from '../../src/base/batches.ts';

/** A `run` that answers when it is told to. */
function held<T>() {
  const batches: { items: readonly T[]; answer(): void; fail(error: Error): void }[] = [];
  const run = (items: readonly T[]) =>
    new Promise<string[]>((resolve, reject) => {
      batches.push({ items, answer: () => resolve(items.map((item) => `<${item}>`)), fail: reject });
    });
  return { batches, run };
}

const turn = () => new Promise((done) => setImmediate(done));

test('concurrent requests go together, and the rest when there is room', async () => {
  const { batches, run } = held<number>();
  const ask = batched(run, { most: 3, atOnce: 2, maybeOfOne: () => true });
  const answers = Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(ask));
  await turn();
  const sent = () => batches.map(({ items }) => items);
  assert.deepEqual(sent(), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  const late = ask(9);
  await turn();
  assert.equal(batches.length, 2);
  batches[1]!.answer();
  await turn();
  assert.deepEqual(sent()[2], [7, 8, 9]);
  batches[2]!.answer();
  batches[0]!.answer();
  assert.deepEqual(await answers, ['<1>', '<2>', '<3>', '<4>', '<5>', '<6>', '<7>', '<8>']);
  assert.equal(await late, '<9>');
});

test('work that can wait is gathered, until an item is urgent or the batch is full', async () => {
  const { batches, run } = held<number>();
  const limits = { most: 3, atOnce: 9, maybeOfOne: () => true };
  const ask = batched(run, limits, { ms: 50, urgent: (item) => item === 0 });
  const sent = () => batches.map(({ items }) => items);
  void ask(1);
  await turn();
  assert.deepEqual(sent(), []);
  void ask(0);
  assert.deepEqual(sent(), [[1, 0]]);
  for (const item of [2, 3, 4]) void ask(item);
  assert.deepEqual(sent()[1], [2, 3, 4]);
  const soon = batched(run, limits, { ms: 1, urgent: () => false });
  void soon(5);
  await new Promise((done) => setTimeout(done, 5));
  assert.deepEqual(sent()[2], [5]);
});

test('what fails for all is not tried for each', async () => {
  let runs = 0;
  const run = async () => {
    runs++;
    throw new Error('gone');
  };
  const ask = batched(run, { most: 10, atOnce: 1, maybeOfOne: () => false });
  for (const outcome of await Promise.allSettled([1, 2, 3].map(ask))) assert.equal(outcome.status, 'rejected');
  assert.equal(runs, 1);
});

test('one that fails fails alone', async () => {
  const asked: (readonly number[])[] = [];
  const ask = batched(
    async (items: readonly number[]) => {
      asked.push(items);
      if (items.includes(2)) throw new Error('no two');
      return items.map((item) => item * 10);
    },
    { most: 10, atOnce: 1, maybeOfOne: () => true },
  );
  const outcomes = await Promise.allSettled([1, 2, 3].map(ask));
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
    [10, 'no two', 30],
  );
  assert.deepEqual(asked, [[1, 2, 3], [1], [2], [3]]);
  assert.equal(await ask(4), 40);
});
