import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gate } from '../../../src/base/gate.ts';
import { listing } from '../../../src/engine/query/listing.ts';
import { listed, type Pieces } from '../../../src/engine/query/pieces.ts';
import fc from '../../support/properties.ts';

const allowed = async () => {};

type Row = { id: string };
const rowsOf = (count: number): Row[] => Array.from({ length: count }, (_, i) => ({ id: `${String(i).padStart(4, '0')}"ü` }));

/** A list of these rows, and how many were read. */
function listOf(rows: readonly Row[], atOnce: number, before = (_read: number) => {}) {
  let read = 0;
  const page = async ({ limit, after }: { limit: number; after?: string | undefined }) => {
    before(read);
    const some = rows.filter(({ id }) => after === undefined || id > after).slice(0, limit);
    read += some.length;
    return some;
  };
  const list = listing({ name: 'rows', page, show: (some) => some.map(({ id }) => ({ rowId: id })), atOnce }, undefined);
  return { list, read: () => read };
}

async function textOf(answer: string | Pieces): Promise<string> {
  if (typeof answer === 'string') return answer;
  let text = '';
  for await (const piece of answer) text += piece;
  return text;
}

test('a list in pieces is the JSON of the whole, whatever their size', () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 12 }), async (count, atOnce) => {
      const rows = rowsOf(count);
      const answer = await listed(listOf(rows, atOnce).list, gate(1), allowed);
      assert.equal(typeof answer === 'string', count < atOnce, 'what fits in a slice comes whole');
      assert.equal(await textOf(answer), JSON.stringify({ rows: rows.map(({ id }) => ({ rowId: id })) }));
    }),
  ));

test('a slice is read when the one before it was taken, and none after the reader stopped', async () => {
  const { list, read } = listOf(rowsOf(100), 10);
  const pieces = (await listed(list, gate(1), allowed)) as Pieces;
  assert.equal(read(), 10);
  let taken = 0;
  for await (const _ of pieces) {
    taken += 1;
    assert.equal(read(), taken * 10);
    if (taken === 4) break;
  }
  assert.equal(read(), 40);
});

test('of several lists one slice is read in a turn of the event loop', async () => {
  let turn = 0;
  let going = true;
  const count = () => {
    turn += 1;
    if (going) setImmediate(count);
  };
  const seen: number[] = [];
  const turnOf = gate(1);
  const all = await Promise.all(
    [1, 2, 3].map(() => listed(listOf(rowsOf(50), 10, (read) => void (read > 0 && seen.push(turn))).list, turnOf, allowed)),
  );
  setImmediate(count);
  const texts = await Promise.all(all.map(textOf));
  going = false;
  assert.equal(new Set(texts).size, 1);
  assert.equal(seen.length, 15);
  assert.equal(new Set(seen).size, seen.length, `turns ${seen}`);
});

test('an error in the middle reaches the reader, and the next list has its turn', async () => {
  const turnOf = gate(1);
  const failing = listOf(rowsOf(100), 10, (read) => {
    if (read === 30) throw new Error('the disk is gone');
  });
  await assert.rejects(async () => textOf(await listed(failing.list, turnOf, allowed)), /the disk is gone/);
  assert.match(await textOf(await listed(listOf(rowsOf(30), 10).list, turnOf, allowed)), /\]\}$/);
});

test('who is removed while a list is sent gets nothing that is read afterwards', async () => {
  const { list, read } = listOf(rowsOf(100), 10);
  let removed = false;
  const pieces = (await listed(list, gate(1), async () => {
    if (removed) throw new Error('removed');
  })) as Pieces;
  let taken = 0;
  await assert.rejects(async () => {
    for await (const _ of pieces) {
      taken += 1;
      removed = taken === 3;
    }
  }, /removed/);
  assert.equal(taken, 3);
  assert.equal(read(), 40, 'no slice after the refusal');
});

test('the first slice takes its turn too', async () => {
  const turn = gate(1);
  const other = Promise.withResolvers<void>();
  void turn(() => other.promise);
  const { list, read } = listOf(rowsOf(100), 10);
  const answer = listed(list, turn, allowed);
  await new Promise((done) => setImmediate(done));
  assert.equal(read(), 0);
  other.resolve();
  await answer;
  assert.equal(read(), 10);
});
