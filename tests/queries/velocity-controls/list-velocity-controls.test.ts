import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { velocityControl } from '../../activities/velocity-controls/support.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();
const ids: string[] = [];
before(async () => {
  for (let i = 0; i < 12; i++) {
    const answer = await instance.root.submit('CREATE_VELOCITY_CONTROL', velocityControl({ identifier: `limit_${i}` }));
    ids.push(resultOf(answer, 'createVelocityControlResult').velocityControlId);
  }
});

async function list(paginationOptions?: object) {
  const { velocityControls, pageInfo } = (await instance.root.query('list_velocity_controls', { paginationOptions })).body;
  return { ids: velocityControls.map((one: { velocityControlId: string }) => one.velocityControlId), pageInfo };
}

test('controls are paged in the order of their creation, in both directions', async () => {
  const first = await list();
  assert.deepEqual(first.ids, ids.slice(0, 10));
  assert.deepEqual(first.pageInfo, { hasNextPage: true, hasPreviousPage: false, startCursor: ids[0], endCursor: ids[9] });
  const second = await list({ after: ids[9] });
  assert.deepEqual(second.ids, ids.slice(10));
  assert.deepEqual(second.pageInfo, { hasNextPage: false, hasPreviousPage: true, startCursor: ids[10], endCursor: ids[11] });
  const back = await list({ before: ids[11], limit: '2' });
  assert.deepEqual(back.ids, ids.slice(9, 11));
  assert.deepEqual([back.pageInfo.hasNextPage, back.pageInfo.hasPreviousPage], [true, true]);
});
