import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { type Blocks, blocks } from '../../../src/app/log/blocks.ts';

type Fake = Blocks & {
  /** Blocks that the output took, as text. */
  taken: string[];
  lost: number[];
  regained: number[];
  /** The output is done with the block under way. */
  done(error?: Error): void;
};

function fake(): Fake {
  const taken: string[] = [];
  const lost: number[] = [];
  const regained: number[] = [];
  let settle: ((error?: Error) => void) | undefined;
  const lines = blocks(
    {
      write(block, done) {
        assert.equal(settle, undefined, 'one block at a time');
        taken.push(block.toString());
        settle = done;
      },
      last: (block) => void taken.push(block.toString()),
    },
    (count) => void lost.push(count),
    (count) => void regained.push(count),
  );
  const done = (error?: Error) => {
    const now = settle!;
    settle = undefined;
    now(error);
  };
  return { ...lines, taken, lost, regained, done };
}

const MB = 1024 * 1024;

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

test('lines wait for others, for a tenth of a second at most', () => {
  const { write, taken, done } = fake();
  write('a\n', false);
  mock.timers.tick(60);
  write('b\n', false);
  assert.deepEqual(taken, []);
  mock.timers.tick(40);
  assert.deepEqual(taken, ['a\nb\n']);
  write('c\n', false);
  mock.timers.tick(100);
  assert.equal(taken.length, 1, 'the output is busy');
  done();
  assert.deepEqual(taken, ['a\nb\n', 'c\n']);
});

test('an urgent line does not wait, and neither do those before it; nor does a full block', () => {
  const { write, taken, done } = fake();
  write('a\n', false);
  write('warning\n', true);
  assert.deepEqual(taken, ['a\nwarning\n']);
  done();
  const line = `${'x'.repeat(999)}\n`;
  for (let i = 0; i < 40; i++) write(line, false);
  assert.equal(taken.length, 2);
  assert.ok(taken[1]!.length > 32 * 1000);
});

test('an output that takes nothing costs a bounded memory, and the lines that find no room are counted', () => {
  const { write, taken, done, lost, regained } = fake();
  const line = `${'x'.repeat(9999)}\n`;
  write('first\n', true);
  for (let i = 0; i < 300; i++) write(line, false);
  const missing = lost.reduce((sum, each) => sum + each, 0);
  assert.equal(missing, 300 - Math.floor(MB / 10_000));
  write('a warning has room\n', true);
  for (let i = 0; i < 300; i++) write(line, true);
  done();
  assert.deepEqual(regained, [lost.length]);
  assert.ok(taken[1]!.length <= 2 * MB && taken[1]!.includes('a warning has room\n'));
  done();
  write('last\n', true);
  assert.equal(taken.at(-1), 'last\n');
  assert.equal(regained.length, 1, 'told once');
});

test('lines of a block that could not be written are counted, and later ones are tried', () => {
  const { write, taken, done, lost, regained } = fake();
  write('a\n', false);
  write('b\n', true);
  done(Object.assign(new Error('broken pipe'), { code: 'EPIPE' }));
  assert.deepEqual([lost, regained], [[2], []]);
  write('c\n', true);
  done();
  assert.deepEqual([taken, lost, regained], [['a\nb\n', 'c\n'], [2], [2]]);
});

test('a flush ends when all is written, or after its time', async () => {
  const { write, flush, done, taken } = fake();
  await flush(1000);
  write('a\n', false);
  const flushed = flush(1000);
  write('b\n', false);
  done();
  done();
  await flushed;
  assert.deepEqual(taken, ['a\n', 'b\n']);
  write('c\n', true);
  const late = flush(1000);
  mock.timers.tick(1000);
  await late;
});

test('the end writes what waits', () => {
  const { write, end, taken } = fake();
  write('a\n', false);
  end();
  assert.deepEqual(taken, ['a\n']);
});
