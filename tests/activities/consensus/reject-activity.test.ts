import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ethereumAccount, submitPath } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { count, mayVote, newPair } from '../support.ts';

const instance = await sharedInstance();

const wallet = { walletName: 'Voted on', accounts: [ethereumAccount()] };
const FORBIDDEN = (text: RegExp): [number, string, RegExp] => [403, 'REQUEST_NOT_AUTHORIZED', text];
const FINISHED = FORBIDDEN(/request not authorized: the activity has ended and accepts no more votes/);

test('what names no activity is not found, and what is no text is refused by name', async () => {
  for (const fingerprint of ['f'.repeat(64), `sha256:${'0'.repeat(64)}`])
    refused(await instance.root.submit('REJECT_ACTIVITY', { fingerprint }), [
      404,
      'UNSPECIFIED',
      /^No activity found with fingerprint\. Consensus activities must target an existing activity by fingerprint$/,
    ]);
  await refusesEach(instance.root, 'REJECT_ACTIVITY', [[{}, 'parameters.fingerprint', /./]]);
});

test('one rejection ends it for good, and the same body again is answered with the same', async () => {
  const pair = await newPair(instance, 'Rejects');
  const [first, second] = pair.clients;
  const sent = first.bodyOf('CREATE_WALLET', wallet);
  const { activity: waiting } = (await first.send(submitPath('CREATE_WALLET'), sent)).body;
  const body = second.bodyOf('REJECT_ACTIVITY', { fingerprint: waiting.fingerprint });
  const done = await second.send(submitPath('REJECT_ACTIVITY'), body);
  assert.equal(done.status, 200, done.text);
  const { activity } = done.body;
  assert.equal(activity.id, waiting.id);
  assert.equal(activity.status, 'ACTIVITY_STATUS_REJECTED');
  assert.equal('failure' in activity, false);
  assert.deepEqual(
    activity.votes.map((vote: { userId: string; selection: string; message: string }) => [
      vote.userId,
      vote.selection,
      vote.message,
    ]),
    [
      [pair.userIds[0], 'VOTE_SELECTION_APPROVED', sent],
      [pair.userIds[1], 'VOTE_SELECTION_REJECTED', body],
    ],
  );
  assert.deepEqual((await second.send(submitPath('REJECT_ACTIVITY'), body)).body, done.body);
  for (const client of pair.clients) {
    assert.deepEqual(await mayVote(client, waiting.id), [false, false]);
    refused(await client.submit('REJECT_ACTIVITY', { fingerprint: waiting.fingerprint }), FINISHED);
    refused(await client.submit('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint }), FINISHED);
    const same = await client.send(submitPath('CREATE_WALLET'), sent);
    assert.equal(same.body.activity.status, 'ACTIVITY_STATUS_REJECTED');
  }
  instance.clock.advance(25 * 60 * 60 * 1000);
  refused(await first.submit('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint }), FINISHED);
  assert.equal(await count(first, 'list_wallets', 'wallets'), 0);
});

test('after an approval, one may still reject, and does', async () => {
  const { clients, userIds } = await instance.newSubOrganization('Changes mind', 3, 3);
  const [first, second] = clients;
  const { activity: waiting } = (await first!.submit('CREATE_WALLET', wallet)).body;
  await second!.submit('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint });
  assert.deepEqual(await mayVote(second!, waiting.id), [false, true]);
  const { activity } = (await second!.submit('REJECT_ACTIVITY', { fingerprint: waiting.fingerprint })).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_REJECTED');
  assert.deepEqual(
    activity.votes.map((vote: { userId: string }) => vote.userId),
    [userIds[0], userIds[1], userIds[1]],
  );
});

test('only those who are asked may reject', async () => {
  const pair = await newPair(instance, 'Closed');
  const other = await newPair(instance, 'Other');
  const { activity: waiting } = (await pair.clients[0].submit('CREATE_WALLET', wallet)).body;
  const { fingerprint } = waiting;
  refused(
    await pair.outsider.submit('REJECT_ACTIVITY', { fingerprint }),
    FORBIDDEN(/request not authorized: this activity waits for the votes of other users/),
  );
  refused(await pair.parent.submit('REJECT_ACTIVITY', { fingerprint }), [400, 'ORGANIZATION_MISMATCH', /organization mismatch/]);
  refused(await other.clients[0].submit('REJECT_ACTIVITY', { fingerprint }), [404, 'UNSPECIFIED', /^No activity found/]);
  const { activity } = (await pair.clients[0].query('get_activity', { activityId: waiting.id })).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  assert.equal(activity.votes.length, 1);
});

test('a request whose approvals lapsed can be rejected', async () => {
  const { clients } = await instance.newSubOrganization('Lapsed', 2, 2);
  const [first, second] = clients;
  const { activity: waiting } = (await first!.submit('CREATE_WALLET', wallet)).body;
  instance.clock.advance(48 * 60 * 60 * 1000);
  const answer = await second!.submit('REJECT_ACTIVITY', { fingerprint: waiting.fingerprint });
  assert.equal(answer.body.activity?.status, 'ACTIVITY_STATUS_REJECTED', answer.text);
  const own = await instance.root.submit('CREATE_WALLET', wallet);
  refused(await instance.root.submit('REJECT_ACTIVITY', { fingerprint: own.body.activity.fingerprint }), FINISHED);
});
