import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

test('each freeze is listed with what it stops, its reason, time, activity and user', async () => {
  const { clients, userIds } = await instance.newSubOrganization('Frozen', 2, 1);
  const [first] = clients;
  const [frozenByUserId, userId] = userIds;
  const made = async (what: object, reason: string): Promise<string> => {
    const body = await first!.submit('COUNTERSIGN_FREEZE', { ...what, reason });
    resultOf(body, 'countersignFreezeResult');
    return body.body.activity.id;
  };
  const ofUser = await made({ userId }, 'the phone was lost');
  const ofAll = await made({ organization: true, keepSends: true }, 'an alarm');
  const { freezes } = (await first!.query('list_freezes')).body;
  const shown = freezes.map(({ createdAt, ...rest }: { createdAt: { seconds: string } }) => {
    assert.ok(Number(createdAt.seconds) > 1_700_000_000);
    return rest;
  });
  const expected = [
    { userId, reason: 'the phone was lost', keepSends: false, activityId: ofUser, frozenByUserId },
    { organization: true, reason: 'an alarm', keepSends: true, activityId: ofAll, frozenByUserId },
  ];
  const byReason = (a: { reason: string }, b: { reason: string }) => (a.reason < b.reason ? -1 : 1);
  assert.deepEqual(shown.sort(byReason), expected.sort(byReason));
});
