import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy } from '../../e2e/authority.ts';
import { ethereumAccount, submitPath } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { agreed, count, mayVote, newPair } from '../support.ts';

const instance = await sharedInstance();

const wallet = { walletName: 'Voted on', accounts: [ethereumAccount()] };
const FORBIDDEN = (text: RegExp): [number, string, RegExp] => [403, 'REQUEST_NOT_AUTHORIZED', text];

test('what names no activity is not found, an id and other spellings among it; what is no text is refused by name', async () => {
  const { activity } = (await instance.root.submit('CREATE_WALLET', { ...wallet, walletName: 'Named by its id' })).body;
  for (const fingerprint of ['', activity.id, activity.fingerprint.slice(7), activity.fingerprint.toUpperCase()])
    refused(await instance.root.submit('APPROVE_ACTIVITY', { fingerprint }), [
      404,
      'UNSPECIFIED',
      /^No activity found with fingerprint\. /,
    ]);
  const field = 'parameters.fingerprint';
  await refusesEach(instance.root, 'APPROVE_ACTIVITY', [
    [{ fingerprint: 'f'.repeat(1001) }, field, /1000/],
    [{}, field, /./],
    [{ fingerprint: null }, field, /./],
  ]);
});

test('an approval is answered with what it approves, and the same body again with the same', async () => {
  const pair = await newPair(instance, 'Approves');
  const [first, second] = pair.clients;
  const { activity: waiting } = (await first.submit('CREATE_WALLET', wallet)).body;
  const body = second.bodyOf('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint });
  const done = await second.send(submitPath('APPROVE_ACTIVITY'), body);
  assert.equal(done.status, 200, done.text);
  const { activity } = done.body;
  assert.equal(activity.id, waiting.id);
  assert.equal(activity.type, 'ACTIVITY_TYPE_CREATE_WALLET');
  assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
  assert.equal(activity.fingerprint, waiting.fingerprint);
  assert.deepEqual(Object.keys(activity.result).sort(), ['activity', 'createWalletResult']);
  assert.equal(activity.votes[1].message, body);
  assert.deepEqual((await second.send(submitPath('APPROVE_ACTIVITY'), body)).body, done.body);
  assert.equal(await count(first, 'list_wallets', 'wallets'), 1);
  const type = ['ACTIVITY_TYPE_APPROVE_ACTIVITY'];
  const { activities } = (await first.query('list_activities', { filterByType: type })).body;
  assert.equal(activities.length, 1);
  assert.deepEqual(activities[0].result, { approveActivityResult: {} });
  assert.deepEqual([activities[0].canApprove, activities[0].canReject], [false, false]);
});

test("the same bytes from another user are that user's vote, once", async () => {
  const { clients } = await instance.newSubOrganization('Copies', 3, 3);
  const [first, second, third] = clients;
  const { activity: waiting } = (await first!.submit('CREATE_WALLET', wallet)).body;
  const body = second!.bodyOf('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint });
  const answers = await Promise.all([second, third].map((client) => client!.send(submitPath('APPROVE_ACTIVITY'), body)));
  for (const { status, text } of answers) assert.equal(status, 200, text);
  for (const client of [third, second]) {
    const { activity } = (await client!.send(submitPath('APPROVE_ACTIVITY'), body)).body;
    assert.deepEqual([activity.status, activity.votes.length], ['ACTIVITY_STATUS_COMPLETED', 3]);
    assert.deepEqual(new Set(activity.votes.slice(1).map(({ message }: { message: string }) => message)), new Set([body]));
  }
  assert.equal(await count(first!, 'list_wallets', 'wallets'), 1);
  const filterByType = ['ACTIVITY_TYPE_APPROVE_ACTIVITY'];
  const { activities } = (await first!.query('list_activities', { filterByType })).body;
  assert.equal(activities.length, 1, 'one body is one activity');
  assert.equal(activities[0].votes.length, 2, 'with a stamp of each');
});

test('a vote that was refused is no answer to the same bytes of somebody who may vote', async () => {
  const pair = await newPair(instance, 'Not for all');
  const [first, second] = pair.clients;
  const { activity: waiting } = (await first.submit('CREATE_WALLET', wallet)).body;
  const body = second.bodyOf('REJECT_ACTIVITY', { fingerprint: waiting.fingerprint });
  const others = FORBIDDEN(/this activity waits for the votes of other users/);
  refused(await pair.outsider.send(submitPath('REJECT_ACTIVITY'), body), others);
  const rejected = await second.send(submitPath('REJECT_ACTIVITY'), body);
  assert.equal(rejected.body.activity?.status, 'ACTIVITY_STATUS_REJECTED', rejected.text);
  refused(await pair.outsider.send(submitPath('REJECT_ACTIVITY'), body), others);
  const { activities } = (await first.query('list_activities', { filterByType: ['ACTIVITY_TYPE_REJECT_ACTIVITY'] })).body;
  const [{ status, failure, votes }] = activities;
  assert.deepEqual([status, failure, votes.length], ['ACTIVITY_STATUS_COMPLETED', undefined, 2], 'it took effect');
});

test('a DENY that names votes by type bars those whom it is about, but no root user', async () => {
  const pair = await newPair(instance, 'Barred');
  const [first, second] = pair.clients;
  const consensus = approvedBy(pair.outsiderId);
  const both = {
    policyName: 'The outsider too',
    effect: 'EFFECT_ALLOW',
    consensus: `${consensus} && approvers.count() >= 2`,
    notes: '',
  };
  await agreed(pair, 'CREATE_POLICY_V3', both);
  const policyName = 'No votes of the outsider';
  const condition = "activity.type in ['ACTIVITY_TYPE_REJECT_ACTIVITY', 'ACTIVITY_TYPE_APPROVE_ACTIVITY']";
  const made = await agreed(pair, 'CREATE_POLICY_V3', { policyName, effect: 'EFFECT_DENY', condition, notes: '' });
  const { policyId } = made.body.activity.result.createPolicyResult;
  const submitted = first.bodyOf('CREATE_WALLET', wallet);
  const { activity: waiting } = (await first.send(submitPath('CREATE_WALLET'), submitted)).body;
  const { fingerprint } = waiting;
  assert.deepEqual(await mayVote(pair.outsider, waiting.id), [false, false]);
  const itself = await pair.outsider.send(submitPath('CREATE_WALLET'), submitted);
  refused(itself, FORBIDDEN(/The following policies denied this action/));
  for (const type of ['APPROVE_ACTIVITY', 'REJECT_ACTIVITY']) {
    const answer = await pair.outsider.submit(type, { fingerprint });
    refused(answer, FORBIDDEN(new RegExp(`The following policies denied this action: ${policyId}\\. \\(`)));
  }
  const filterByType = ['ACTIVITY_TYPE_APPROVE_ACTIVITY'];
  const { activities } = (await first.query('list_activities', { filterByType })).body;
  const { policyEvaluations } = (await first.query('get_policy_evaluations', { activityId: activities[0].id })).body;
  const [evaluation] = policyEvaluations[0].policyEvaluations;
  assert.deepEqual([evaluation.policyId, evaluation.outcome], [policyId, 'OUTCOME_DENY_EXPLICIT']);
  assert.deepEqual(evaluation.values[0], {
    part: 'condition',
    path: 'activity.type',
    value: '"ACTIVITY_TYPE_APPROVE_ACTIVITY"',
  });
  // The name in any case is the same name.
  const inAnyCase = [
    "activity.type == CaseInsensitiveString('activity_type_approve_activity')",
    "activity.type == 'ACTIVITY_TYPE_CREATE_TVC_APP' || CaseInsensitiveString(activity.type) in ['activity_type_approve_activity']",
  ];
  for (const either of inAnyCase) {
    await agreed(pair, 'UPDATE_POLICY_V2', { policyId, policyCondition: either });
    const answer = await pair.outsider.submit('APPROVE_ACTIVITY', { fingerprint });
    refused(answer, FORBIDDEN(new RegExp(`The following policies denied this action: ${policyId}\\. \\(`)));
  }
  const done = await second.submit('APPROVE_ACTIVITY', { fingerprint });
  assert.equal(done.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', done.text);
});

test("a second approval, or the submitter's own, is no second vote and is answered with the activity", async () => {
  const { clients } = await instance.newSubOrganization('Twice', 3, 3);
  const [first, second] = clients;
  const { activity: waiting } = (await first!.submit('CREATE_WALLET', wallet)).body;
  const voters = [];
  for (const client of [first, second, second]) {
    const answer = await client!.submit('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint });
    assert.equal(answer.status, 200, answer.text);
    const { id, status, votes } = answer.body.activity;
    assert.deepEqual([id, status], [waiting.id, 'ACTIVITY_STATUS_CONSENSUS_NEEDED']);
    voters.push(votes.length);
  }
  assert.deepEqual(voters, [1, 2, 2]);
});

test('a repeated approval checks whether the votes suffice by now', async () => {
  const { clients } = await instance.newSubOrganization('Anew', 3, 3);
  const [first, second, third] = clients;
  const { activity: waiting } = (await first!.submit('CREATE_WALLET', wallet)).body;
  await second!.submit('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint });
  const { users } = (await first!.query('list_users')).body;
  const userIds = users.map(({ userId }: { userId: string }) => userId);
  const body = first!.bodyOf('UPDATE_ROOT_QUORUM', { threshold: 2, userIds });
  for (const client of [first, second, third]) await client!.send(submitPath('UPDATE_ROOT_QUORUM'), body);
  const { activity } = (await first!.query('get_activity', { activityId: waiting.id })).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', 'nothing happens by itself');
  const answers = await Promise.all(
    [first, second].map((client) => client!.submit('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint })),
  );
  const done = answers.filter(({ status }) => status === 200);
  assert.ok(done.length >= 1);
  for (const { body } of done) {
    assert.equal(body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
    assert.equal(body.activity.votes.length, 2);
  }
  assert.equal((await first!.query('list_wallets')).body.wallets.length, 1);
});

test('a vote says a fingerprint and little else', async () => {
  const fingerprint = `sha256:${'0'.repeat(64)}`;
  const answer = await instance.root.submit('APPROVE_ACTIVITY', { fingerprint, why: ' '.repeat(20_000) });
  refused(answer, [400, 'REQUEST_INVALID', /a vote must have at most 16384 bytes/], 'parameters');
});

test('only those who are asked may approve: no outsider, no parent, nobody of another organization', async () => {
  const pair = await newPair(instance, 'Closed');
  const other = await newPair(instance, 'Other');
  const [first, second] = pair.clients;
  const { activity: waiting } = (await first.submit('CREATE_WALLET', wallet)).body;
  const { fingerprint } = waiting;
  assert.deepEqual(await mayVote(pair.outsider, waiting.id), [false, false]);
  refused(
    await pair.outsider.submit('APPROVE_ACTIVITY', { fingerprint }),
    FORBIDDEN(/request not authorized: this activity waits for the votes of other users/),
  );
  refused(await pair.parent.submit('APPROVE_ACTIVITY', { fingerprint }), [400, 'ORGANIZATION_MISMATCH', /organization mismatch/]);
  const unknown = await other.clients[0].submit('APPROVE_ACTIVITY', { fingerprint });
  refused(unknown, [404, 'UNSPECIFIED', /^No activity found with fingerprint\. /]);
  const stranger = second.as(other.clients[0].keys);
  refused(await stranger.submit('APPROVE_ACTIVITY', { fingerprint }), [401, 'PUBLIC_KEY_NOT_FOUND', /could not find public key/]);
  const { activity } = (await first.query('get_activity', { activityId: waiting.id })).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  assert.equal(activity.votes.length, 1);
});

test('a completed, failed or rejected activity takes no more approvals, and a refused approval stays on record', async () => {
  const { root } = instance;
  const { activity: done } = (await root.submit('CREATE_WALLET', wallet)).body;
  const finished = /request not authorized: the activity has ended and accepts no more votes/;
  const body = root.bodyOf('APPROVE_ACTIVITY', { fingerprint: done.fingerprint });
  refused(await root.send(submitPath('APPROVE_ACTIVITY'), body), FORBIDDEN(finished));
  refused(await root.send(submitPath('APPROVE_ACTIVITY'), body), FORBIDDEN(finished));
  const failing = root.bodyOf('CREATE_WALLET_ACCOUNTS', { walletId: done.id, accounts: [ethereumAccount()] });
  assert.equal((await root.send(submitPath('CREATE_WALLET_ACCOUNTS'), failing)).status, 404);
  const { activities } = (await root.query('list_activities')).body;
  assert.deepEqual(
    activities.slice(0, 2).map((each: { type: string; status: string }) => [each.type, each.status]),
    [
      ['ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS', 'ACTIVITY_STATUS_FAILED'],
      ['ACTIVITY_TYPE_APPROVE_ACTIVITY', 'ACTIVITY_STATUS_FAILED'],
    ],
  );
  assert.match(activities[1].failure.message, finished);
  const { fingerprint } = activities[0];
  refused(await root.submit('APPROVE_ACTIVITY', { fingerprint }), FORBIDDEN(finished));
});
