import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitConcurrency } from '../../../src/base/concurrency.ts';
import { listing } from '../../../src/engine/query/listing.ts';
import { type Pieces, textOfLists } from '../../../src/engine/query/pieces.ts';
import type { Page } from '../../../src/store/types.ts';

const allowed = async () => {};

type Row = { id: string; text: string };
/** Elements of which four have room in a slice. */
const TEXT = 'x'.repeat(15_000);
const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, i) => ({ id: `${String(i).padStart(4, '0')}"ü`, text: TEXT }));
/** The first slice has room for this many. */
const FIRST = 17;

/** A list of these rows, and how often they were read. */
function listOf(rows: readonly Row[], before = (_reads: number) => {}) {
  let reads = 0;
  const page = async ({ limit, after, before: end }: Page) => {
    if (end === undefined) before(reads++);
    if (end !== undefined) return rows.slice(-limit);
    return rows.filter(({ id }) => after === undefined || id > after).slice(0, limit);
  };
  return { list: listing({ name: 'rows', page, show: (some) => some }, undefined), reads: () => reads };
}

async function textOf(answer: string | Pieces): Promise<string> {
  if (typeof answer === 'string') return answer;
  let text = '';
  for await (const piece of answer) text += piece;
  return text;
}

test('a list in pieces is the JSON of the whole', async () => {
  for (const count of [0, 1, FIRST, FIRST + 1, 50]) {
    const rows = rowsOf(count);
    const answer = await textOfLists(listOf(rows).list, limitConcurrency(1), allowed);
    assert.equal(typeof answer === 'string', count <= FIRST, 'what fits in a slice comes whole');
    assert.equal(await textOf(answer), JSON.stringify({ rows }));
    const more = { ...listOf(rows).list, fields: { 'a"': 1, b: 'ü' } };
    const text = await textOf(await textOfLists(more, limitConcurrency(1), allowed));
    assert.equal(text, JSON.stringify({ ...more.fields, rows }));
  }
});

test('a slice is read when the one before it was taken, and none after the reader stopped', async () => {
  const { list, reads } = listOf(rowsOf(100));
  const pieces = (await textOfLists(list, limitConcurrency(1), allowed)) as Pieces;
  assert.equal(reads(), 1);
  let taken = 0;
  for await (const _ of pieces) {
    taken += 1;
    assert.equal(reads(), taken);
    if (taken === 4) break;
  }
  assert.equal(reads(), 4);
});

test('of several lists one slice is read in a turn of the event loop', async () => {
  let turn = 0;
  let going = true;
  const count = () => {
    turn += 1;
    if (going) setImmediate(count);
  };
  const seen: number[] = [];
  const turnOf = limitConcurrency(1);
  const all = await Promise.all(
    [1, 2, 3].map(() => textOfLists(listOf(rowsOf(50), (reads) => void (reads > 0 && seen.push(turn))).list, turnOf, allowed)),
  );
  setImmediate(count);
  const texts = await Promise.all(all.map(textOf));
  going = false;
  assert.equal(new Set(texts).size, 1);
  assert.ok(seen.length > 20, `${seen.length} slices`);
  assert.equal(new Set(seen).size, seen.length, `turns ${seen}`);
});

test('an error in the middle reaches the reader, and the next list has its turn', async () => {
  const turnOf = limitConcurrency(1);
  const failing = listOf(rowsOf(100), (reads) => {
    if (reads === 3) throw new Error('the disk is gone');
  });
  await assert.rejects(async () => textOf(await textOfLists(failing.list, turnOf, allowed)), /the disk is gone/);
  assert.match(await textOf(await textOfLists(listOf(rowsOf(30)).list, turnOf, allowed)), /\]\}$/);
});

test('a caller that is removed while a list is sent gets nothing that is read afterwards', async () => {
  const { list, reads } = listOf(rowsOf(100));
  let removed = false;
  const pieces = (await textOfLists(list, limitConcurrency(1), async () => {
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
  assert.equal(reads(), 4, 'no slice after the refusal');
});

test('a page, and the first slice of a long list, wait for no turn', async () => {
  const turn = limitConcurrency(1);
  const other = Promise.withResolvers<void>();
  void turn(() => other.promise);
  assert.equal(typeof (await textOfLists(listOf(rowsOf(10)).list, turn, allowed)), 'string');
  const { list, reads } = listOf(rowsOf(100));
  const pieces = (await textOfLists(list, turn, allowed)) as Pieces;
  const source = pieces[Symbol.asyncIterator]();
  await source.next();
  const second = source.next();
  await new Promise((done) => setImmediate(done));
  assert.equal(reads(), 1, 'the second one waits');
  other.resolve();
  await second;
  assert.equal(reads(), 2);
});
