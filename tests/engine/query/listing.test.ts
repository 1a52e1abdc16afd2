import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Listing, listing } from '../../../src/engine/query/listing.ts';
import type { Page } from '../../../src/store/types.ts';
import { rounds } from '../../support/full.ts';
import fc from '../../support/properties.ts';

type Row = { id: string; text: string };

/** As the store's pages: ascending, and read back from `before` if it is given alone. */
const pageOf =
  (rows: readonly Row[]) =>
  async ({ limit, after, before }: Page): Promise<Row[]> => {
    const between = rows.filter(({ id }) => (after === undefined || id > after) && (before === undefined || id < before));
    return before !== undefined && after === undefined ? between.slice(-limit) : between.slice(0, limit);
  };

const idOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** Rows of any sizes: some are larger than a slice. */
const someRows = fc
  .array(fc.constantFrom(1, 100, 10_000, 50_000, 300_000), { maxLength: 150 })
  .map((sizes) => sizes.map((size, n): Row => ({ id: idOf(n), text: 'x'.repeat(size) })));

const show = (some: readonly Row[]) => some;

async function slicesOf({ slice }: Listing<string, unknown>, between = () => {}): Promise<string[]> {
  const texts: string[] = [];
  for (let isLast = false; !isLast; between()) {
    const read = await slice();
    texts.push(read.text);
    isLast = read.isLast;
  }
  return texts;
}

const parsed = (texts: readonly string[]): Row[] => JSON.parse(`[${texts.filter((text) => text !== '').join(',')}]`);

function bounded(texts: readonly string[]): void {
  for (const [i, text] of texts.entries()) {
    const most = i === 0 ? 256 * 1024 : 64 * 1024;
    assert.ok(text.length <= most || parsed([text]).length === 1, `slice ${i} has ${text.length} characters`);
  }
}

test('the slices of a list are all of it, each with few characters or one element', () =>
  fc.assert(
    fc.asyncProperty(someRows, fc.integer({ min: 1, max: 100 }), async (all, rows) => {
      const texts = await slicesOf(listing({ name: 'rows', page: pageOf(all), show, rows }, undefined));
      assert.deepEqual(parsed(texts), all);
      bounded(texts);
    }),
    { numRuns: 50 },
  ));

test('a page is the same in slices, whatever its ends', () => {
  const cursor = fc.option(fc.integer({ min: -1, max: 150 }).map(idOf), { nil: undefined });
  return fc.assert(
    fc.asyncProperty(someRows, cursor, cursor, fc.integer({ min: 1, max: 100 }), async (all, after, before, limit) => {
      const page = pageOf(all);
      const texts = await slicesOf(listing({ name: 'rows', page, show, rows: 10 }, { after, before, limit: String(limit) }));
      assert.deepEqual(parsed(texts), await page({ after, before, limit }));
      bounded(texts);
    }),
    { numRuns: rounds(100) },
  );
});

test('a list that grows faster than it is read ends where it ended when it began', async () => {
  const rows: Row[] = [];
  const grow = () => {
    for (let i = 0; i < 1000; i++) rows.push({ id: idOf(rows.length), text: 'x'.repeat(100) });
  };
  grow();
  const began = [...rows];
  const texts = await slicesOf(listing({ name: 'rows', page: pageOf(rows), show }, undefined), grow);
  assert.ok(texts.length > 2, `${texts.length} slices`);
  assert.deepEqual(parsed(texts), began);
});

test('a row that is removed while a list is read is left out, also the last one', async () => {
  const rows: Row[] = Array.from({ length: 1000 }, (_, n) => ({ id: idOf(n), text: 'x'.repeat(100) }));
  const texts = await slicesOf(listing({ name: 'rows', page: pageOf(rows), show }, undefined), () => void rows.splice(500));
  assert.deepEqual(parsed(texts), rows);
});
