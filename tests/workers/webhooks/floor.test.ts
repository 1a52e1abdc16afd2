import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floored } from '../../../src/workers/webhooks/floor.ts';

test('looks begin where there was no row a minute or two ago, and each minute at the start', async () => {
  let now = 0;
  let rows: number[] = [];
  const look = floored({ now: () => now });
  const begunAt = async (at: number, some: number[]) => {
    now = at;
    rows = some;
    let begun: number | undefined;
    const read = async (after: number | undefined) => {
      begun = after;
      return rows.filter((row) => row > (after ?? 0));
    };
    const found = await look({ read, below: ([first]) => first && first - 1 });
    return [begun, ...found];
  };
  assert.deepEqual(await begunAt(0, [10, 11]), [undefined, 10, 11]);
  assert.deepEqual(await begunAt(59_999, []), [undefined]);
  assert.deepEqual(await begunAt(60_000, [20]), [undefined, 20]);
  assert.deepEqual(await begunAt(60_001, [20]), [undefined, 20], 'a row below the first one may still appear');
  assert.deepEqual(await begunAt(120_000, [30]), [undefined, 30]);
  assert.deepEqual(await begunAt(120_001, [8, 30]), [9, 30]);
  assert.deepEqual(await begunAt(179_999, []), [9]);
  assert.deepEqual(await begunAt(180_000, [8, 40]), [undefined, 8, 40]);
  assert.deepEqual(await begunAt(180_001, [40]), [19, 40]);
});
