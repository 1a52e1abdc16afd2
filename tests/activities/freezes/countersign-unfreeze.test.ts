import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../support/client.ts';
import { resultOf } from '../../support/client.ts';
import { newTarget } from '../../support/published.ts';
import { refused, refusedByOwn } from '../../support/refusals.ts';
import { sharedPair } from '../support.ts';

const { instance } = await sharedPair();
const reason = 'the laptop was found';

const approve = (client: Client, { fingerprint }: { fingerprint: string }) => client.submit('APPROVE_ACTIVITY', { fingerprint });

async function agreed(by: Client, other: Client, kind: string, parameters: object) {
  const { activity } = (await by.submit(kind, parameters)).body;
  return (await approve(other, activity)).body.activity;
}

test('a user takes no part in their own unfreezing, not even by what was submitted and approved before the freeze', async () => {
  const { clients, userIds } = await instance.newSubOrganization('Itself', 4, 2);
  const [first, second, third, fourth] = clients as [Client, Client, Client, Client];
  const [userId] = userIds;
  const own = (await first.submit('COUNTERSIGN_UNFREEZE', { userId, reason })).body.activity;
  const approved = (await second.submit('COUNTERSIGN_UNFREEZE', { userId, reason })).body.activity;
  assert.equal(own.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  assert.equal((await agreed(second, third, 'COUNTERSIGN_FREEZE', { userId, reason })).status, 'ACTIVITY_STATUS_COMPLETED');
  refusedByOwn(await approve(first, approved), [403, 'FROZEN', /may submit and approve nothing/]);
  assert.equal((await approve(third, own)).body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const failed = (await approve(fourth, own)).body.activity;
  assert.equal(failed.status, 'ACTIVITY_STATUS_FAILED');
  assert.equal((await second.query('list_freezes')).body.freezes.length, 1);
  assert.equal((await approve(third, approved)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  assert.equal((await second.query('list_freezes')).body.freezes.length, 0);
});

test('a root quorum needs as many users who are not frozen, and the deletion of a user ends their freeze', async () => {
  const { clients, userIds } = await instance.newSubOrganization('Deleted', 3, 2);
  const [, second, third] = clients as [Client, Client, Client];
  const [userId, ...others] = userIds;
  assert.equal((await agreed(second, third, 'COUNTERSIGN_FREEZE', { userId, reason })).status, 'ACTIVITY_STATUS_COMPLETED');
  const higher = await agreed(second, third, 'UPDATE_ROOT_QUORUM', { threshold: 3, userIds });
  assert.equal(higher.status, 'ACTIVITY_STATUS_FAILED');
  const without = await agreed(second, third, 'UPDATE_ROOT_QUORUM', { threshold: 1, userIds: others });
  assert.equal(without.status, 'ACTIVITY_STATUS_COMPLETED');
  resultOf(await second.submit('DELETE_USERS', { userIds: [userId] }), 'deleteUsersResult');
  assert.deepEqual((await second.query('list_freezes')).body, { freezes: [] });
  refused(await second.submit('COUNTERSIGN_UNFREEZE', { userId, reason }), [404, 'UNSPECIFIED', /no freeze found of user/]);
});

test('a right to freeze gives none to unfreeze', async () => {
  const { client: shift, userId } = await instance.newUser('Night shift');
  resultOf(
    await instance.root.submit('CREATE_POLICY_V3', {
      policyName: 'The night shift may freeze',
      effect: 'EFFECT_ALLOW',
      condition: "activity.resource == 'FREEZE' && activity.action == 'CREATE'",
      consensus: `approvers.any(user, user.id == '${userId}')`,
      notes: '',
    }),
    'createPolicyResult',
  );
  resultOf(await shift.submit('COUNTERSIGN_FREEZE', { organization: true, reason }), 'countersignFreezeResult');
  const refusedToShift = await shift.submit('COUNTERSIGN_UNFREEZE', { organization: true, reason });
  assert.equal(refusedToShift.status, 403);
  assert.doesNotMatch(refusedToShift.text, /FROZEN/);
  resultOf(await instance.root.submit('COUNTERSIGN_UNFREEZE', { organization: true, reason }), 'countersignUnfreezeResult');
});

test('a freeze is not ended under the name of another kind of thing', async () => {
  const { clients, userIds, organizationId } = await instance.newSubOrganization('Misnamed', 2, 1);
  const [, second] = clients as [Client, Client];
  const [userId] = userIds;
  for (const what of [{ userId }, { organization: true }])
    resultOf(await second.submit('COUNTERSIGN_FREEZE', { ...what, reason }), 'countersignFreezeResult');
  const { freezes } = (await second.query('list_freezes')).body;
  assert.equal(freezes.length, 2);
  for (const misnamed of [
    { walletId: userId },
    { privateKeyId: userId },
    { walletId: organizationId },
    { userId: organizationId },
  ])
    refused(await second.submit('COUNTERSIGN_UNFREEZE', { ...misnamed, reason }), [404, 'UNSPECIFIED', /no freeze found of/]);
  assert.deepEqual((await second.query('list_freezes')).body, { freezes });
});

test('a session of a frozen user cannot be made by any other user', async () => {
  const { clients, userIds } = await instance.newSubOrganization('Logins', 2, 1);
  const [, second] = clients as [Client, Client];
  const [userId] = userIds;
  resultOf(await second.submit('COUNTERSIGN_FREEZE', { userId, reason }), 'countersignFreezeResult');
  const asked = { userId, targetPublicKey: newTarget().publicKey };
  refusedByOwn(await second.submit('CREATE_READ_WRITE_SESSION_V2', asked), [403, 'FROZEN', /nor log in/]);
});
