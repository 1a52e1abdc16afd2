import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listWaitingActivities } from '../../../src/queries/activities/list-waiting-activities.ts';
import { newPair, sharedPair } from '../../activities/support.ts';
import type { Client } from '../../support/client.ts';

const { instance, pair } = await sharedPair();

async function waiting(client: Client, paginationOptions?: object) {
  const parameters = paginationOptions === undefined ? {} : { paginationOptions };
  const { body, text, status } = await client.query('list_waiting_activities', parameters);
  assert.equal(status, 200, text);
  assert.deepEqual(listWaitingActivities.result.parse(body), body, 'the answer has its declared shape');
  return body;
}

const asks = async (client: Client, userTagName: string) =>
  (await client.submit('CREATE_USER_TAG', { userTagName, userIds: [] })).body.activity;

test('what waits, newest first, says for whom', async () => {
  const [first, second] = pair.clients;
  const mine = await asks(first, 'by the first');
  const theirs = await asks(second, 'by the second');
  const rows = async (client: Client) =>
    (await waiting(client)).activities.map((a: { activityId: string; waitsForCaller: boolean }) => [
      a.activityId,
      a.waitsForCaller,
    ]);
  assert.deepEqual(await rows(first), [
    [theirs.id, true],
    [mine.id, false],
  ]);
  assert.deepEqual(await rows(second), [
    [theirs.id, false],
    [mine.id, true],
  ]);
  for (const client of [pair.outsider, pair.parent])
    assert.ok((await rows(client)).every(([, waits]: [string, boolean]) => !waits));
  const { activities, counts, next } = await waiting(second);
  assert.deepEqual([counts, next], [{ forCaller: '1', all: '2' }, undefined]);
  const [, { createdAt, ...row }] = activities;
  assert.deepEqual(row, {
    activityId: mine.id,
    fingerprint: mine.fingerprint,
    type: 'ACTIVITY_TYPE_CREATE_USER_TAG',
    kind: 'CREATE_USER_TAG',
    status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED',
    userId: pair.userIds[0],
    waitsForCaller: true,
  });
  assert.deepEqual(createdAt, mine.createdAt);
  const one = await waiting(second, { limit: '1' });
  assert.deepEqual([one.activities.length, one.next, one.counts.all], [1, theirs.id, '2']);
  const rest = await waiting(second, { after: one.next });
  assert.deepEqual([rest.activities.length, rest.activities[0].activityId, rest.next], [1, mine.id, undefined]);
  await second.submit('APPROVE_ACTIVITY', { fingerprint: mine.fingerprint });
  assert.deepEqual(await rows(second), [[theirs.id, false]]);
});

test('counts end at a hundred, and a request judges at most two hundred', async () => {
  const { clients } = await newPair(instance, 'Busy');
  for (let i = 0; i < 203; i++) await asks(clients[0], `tag ${i}`);
  const { activities, counts, next } = await waiting(clients[1]);
  assert.deepEqual([activities.length, counts], [100, { forCaller: '100+', all: '100+' }]);
  const mine = await waiting(clients[0]);
  assert.deepEqual(mine.counts, { forCaller: '0+', all: '100+' });
  const seen = new Set(activities.map(({ activityId }: { activityId: string }) => activityId));
  for (let after = next; after !== undefined; ) {
    const page = await waiting(clients[1], { after });
    for (const { activityId } of page.activities) seen.add(activityId);
    after = page.next;
  }
  assert.equal(seen.size, 203);
});
