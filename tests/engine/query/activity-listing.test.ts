import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activityListing } from '../../../src/engine/query/activity-listing.ts';
import type { Activity } from '../../../src/model/activity.ts';
import type { Page } from '../../../src/store/types.ts';

const MIB = 1024 * 1024;

/** Newest first: `n9`, `n8` … with bodies of these sizes. */
const activitiesOf = (...sizes: number[]): Activity[] =>
  sizes.map((size, i) => {
    // The size is that of body and result together.
    const result = i % 2 === 0 ? 'r'.repeat(Math.floor(size / 2)) : '';
    const body = Buffer.alloc(size - result.length);
    return { id: `n${String(sizes.length - i).padStart(4, '0')}`, body, result } as Activity;
  });

/** As the store reads them. */
function storeOf(all: readonly Activity[]) {
  const reads: number[] = [];
  const read = async ({ limit, before, after }: Page): Promise<Activity[]> => {
    const range = all.filter(({ id }) => (after === undefined || id < after) && (before === undefined || id > before));
    const page = after === undefined && before !== undefined ? range.slice(-limit) : range.slice(0, limit);
    reads.push(page.length);
    return page;
  };
  return { reads, read };
}

async function slicesOf(all: readonly Activity[], page: Page) {
  const { read, reads } = storeOf(all);
  const show = async (some: readonly Activity[]) =>
    some.map(({ id, body, result }) => JSON.stringify(id.padEnd(2 * (body.length + result.length))));
  const listing = activityListing('activities', { read, show }, page);
  const slices: string[] = [];
  for (let isLast = false; !isLast; ) {
    const slice = await listing.slice();
    slices.push(slice.text);
    isLast = slice.isLast;
  }
  const ids = slices.map((text) => (JSON.parse(`[${text}]`) as string[]).map((id) => id.trimEnd()));
  return { slices, ids: ids.flat(), perSlice: ids.map(({ length }) => length), reads };
}

const idsOf = (all: readonly Activity[]) => all.map(({ id }) => id);

test('a usual page is one slice', async () => {
  const all = activitiesOf(...Array(150).fill(700));
  for (const limit of [10, 80]) assert.deepEqual((await slicesOf(all, { limit })).perSlice, [limit]);
  assert.deepEqual((await slicesOf([], { limit: 10 })).perSlice, [0]);
  assert.deepEqual((await slicesOf(all, { limit: 100, after: 'n0004' })).ids, ['n0003', 'n0002', 'n0001']);
});

test('large activities come one by one, and what comes later is in small slices', async () => {
  const all = activitiesOf(MIB, ...Array(6).fill(MIB), ...Array(50).fill(3000));
  const { ids, perSlice, slices } = await slicesOf(all, { limit: 100 });
  assert.deepEqual(ids, idsOf(all));
  assert.deepEqual(perSlice.slice(0, 7), Array(7).fill(1));
  for (const text of slices.slice(7)) assert.ok(text.length < 65_536, `${text.length}`);
});

test('a page ends after 8 MiB of bodies, and has at least one', async () => {
  const all = activitiesOf(9 * MIB, ...Array(20).fill(MIB));
  assert.deepEqual((await slicesOf(all, { limit: 100 })).ids, ['n0021']);
  assert.deepEqual((await slicesOf(all, { limit: 100, after: 'n0021' })).ids, idsOf(all.slice(1, 9)));
  assert.deepEqual((await slicesOf(all, { limit: 100, before: 'n0003' })).ids, idsOf(all.slice(10, 18)));
  assert.deepEqual((await slicesOf(all, { limit: 100, before: 'n0020' })).ids, ['n0021']);
});

test('every page has the rows of the store, in both directions', async () => {
  const sizes = Array.from({ length: 120 }, (_, i) => [200, 5000, 40_000, 300_000, 90][i % 5]!);
  const all = activitiesOf(...sizes);
  for (const limit of [1, 7, 30, 100])
    for (const edge of ['n0001', 'n0050', 'n0120', 'n0000', 'n9999']) {
      const below = all.filter(({ id }) => id < edge).slice(0, limit);
      const above = all.filter(({ id }) => id > edge).slice(-limit);
      const fits = (some: Activity[]) => some.reduce((sum, { body, result }) => sum + body.length + result.length, 0) <= 8 * MIB;
      if (fits(below)) assert.deepEqual((await slicesOf(all, { limit, after: edge })).ids, idsOf(below));
      if (fits(above)) assert.deepEqual((await slicesOf(all, { limit, before: edge })).ids, idsOf(above));
    }
  const between = await slicesOf(all, { limit: 100, after: 'n0090', before: 'n0040' });
  assert.deepEqual(between.ids, idsOf(all.filter(({ id }) => id < 'n0090' && id > 'n0040')));
});
