import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { listVelocityBuckets } from '../../../src/queries/velocity-controls/list-velocity-buckets.ts';
import { aggregation, method, velocityControl } from '../../activities/velocity-controls/support.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';

const instance = await sharedInstance();
const { root } = instance;
const CREATED = 'ACTIVITY_TYPE_CREATE_WALLET';

async function control(identifier: string, more: object): Promise<string> {
  const parameters = velocityControl({
    identifier,
    dataSource: { activityExecution: { filter: { activity: [{ activityType: CREATED }] } } },
    aggregation: aggregation({ method: method('COUNT'), threshold: '5', window: { rolling: { duration: '9600' } }, ...more }),
  });
  return resultOf(await root.submit('CREATE_VELOCITY_CONTROL', parameters), 'createVelocityControlResult').velocityControlId;
}

const buckets = async (parameters: object) => {
  const { status, body, text } = await root.query('list_velocity_buckets', parameters);
  assert.equal(status, 200, text);
  assert.deepEqual(listVelocityBuckets.result.parse(body), body, 'the answer has its declared shape');
  return body;
};

let all: string;
let byUser: string;
before(async () => {
  [all, byUser] = [await control('of_all', {}), await control('by_user', { groupBy: { user: {} } })];
});

test('a bucket tells what is counted and left, and when the next of it leaves', async () => {
  assert.deepEqual(await buckets({ velocityControlId: all }), { velocityBuckets: [{ bucket: '', counted: '0', left: '5' }] });
  for (const walletName of ['A', 'B']) await root.submit('CREATE_WALLET', { walletName, accounts: [] });
  const { velocityBuckets } = await buckets({ velocityControlId: all });
  const [{ roomAt, ...bucket }] = velocityBuckets;
  assert.deepEqual([bucket, velocityBuckets.length], [{ bucket: '', counted: '2', left: '3' }, 1]);
  const ms = Number(roomAt.seconds) * 1000 - instance.clock.now();
  assert.ok(ms > 9_500_000 && ms <= 9_700_000, String(ms));
  instance.clock.advance(9_700_000);
  assert.deepEqual((await buckets({ velocityControlId: all })).velocityBuckets, [{ bucket: '', counted: '0', left: '5' }]);
});

test('buckets are paged', async () => {
  const { userId } = (await root.query('whoami')).body;
  const paginationOptions = { limit: '1' };
  assert.equal((await buckets({ velocityControlId: byUser, paginationOptions })).next, userId);
  const after = { limit: '1', after: userId };
  assert.deepEqual(await buckets({ velocityControlId: byUser, paginationOptions: after }), { velocityBuckets: [] });
});

test('a page ends before a bucket whose reserved entries exceed what one page reads, and all buckets are listed', async () => {
  const reserving = velocityControl({ identifier: 'reserving', aggregation: aggregation({ groupBy: { user: {} } }) });
  const made = resultOf(await root.submit('CREATE_VELOCITY_CONTROL', reserving), 'createVelocityControlResult');
  const { velocityControlId } = made;
  const spend = { controlId: velocityControlId, window: { kind: 'rolling', seconds: 86_400 }, isReserved: true } as const;
  const entries = { a: 600, b: 600, c: 10, d: 1_200, e: 1 };
  await instance.engine.store.transaction(async (tx) => {
    for (let i = 0; i < 1_200; i++) {
      const own = Object.entries(entries).filter(([, many]) => i < many);
      const spends = own.map(([bucket]) => ({ ...spend, bucket, amount: 10n ** 18n, count: 1 }));
      await tx.velocityCounters.count(root.organizationId, instance.engine.ids.next(), spends, instance.clock.now());
    }
  });
  const pages: unknown[] = [];
  for (let after: string | undefined; ; ) {
    const { velocityBuckets, next } = await buckets({ velocityControlId, paginationOptions: { limit: '5', after } });
    pages.push(velocityBuckets.map((one: Record<string, string>) => [one.bucket, one.counted, one.reserved]));
    if (next === undefined) break;
    after = next;
  }
  const told = (bucket: string, many: number) => [bucket, String(many), String(many)];
  assert.deepEqual(pages, [[told('a', 600)], [told('b', 600), told('c', 10)], [['d', '1200', undefined]], [told('e', 1)]]);
});

test('an unknown control is not found', async () => {
  const answer = await root.query('list_velocity_buckets', { velocityControlId: NOBODY });
  refused(answer, [404, 'UNSPECIFIED', /velocity control not found/]);
});
