import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { getPolicyEvaluations } from '../../../src/queries/policies/get-policy-evaluations.ts';
import { type Client, resultOf, submitPath } from '../../support/client.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import { hidesOthers, refusesEach } from '../support.ts';

let instance: Instance;
before(async () => {
  instance = await startInstance();
});
after(() => instance.close());

const newPolicy = async (client: Client, policyName: string, more: object): Promise<string> => {
  const policy = { policyName, effect: 'EFFECT_ALLOW', notes: '', ...more };
  return resultOf(await client.submit('CREATE_POLICY_V3', policy), 'createPolicyResult').policyId;
};
const wallet = (walletName: string) => ({ walletName, accounts: [] });

async function evaluationsOf(client: Client, activityId: string) {
  const { body } = await client.query('get_policy_evaluations', { activityId });
  assert.deepEqual(getPolicyEvaluations.result.parse(body), body, 'the answer has its declared shape');
  return body.policyEvaluations;
}

type Outcome = { policyId: string; outcome: string };
const outcomes = (list: Outcome[]) => Object.fromEntries(list.map(({ policyId, outcome }) => [policyId, outcome]));

test('what the root quorum did alone was not evaluated: one record for its vote, and nothing in it', async () => {
  const { activity } = (await instance.root.submit('CREATE_WALLET', wallet('Root'))).body;
  const [record, ...more] = await evaluationsOf(instance.root, activity.id);
  assert.deepEqual(more, []);
  const { createdAt, ...rest } = record;
  const [{ id }] = activity.votes;
  const { organizationId } = instance.root;
  assert.deepEqual(rest, { id, activityId: activity.id, organizationId, voteId: id, policyEvaluations: [] });
  assert.deepEqual(createdAt, activity.votes[0].createdAt);
});

test('each vote has its own record of what policies came to', async () => {
  const [a, b] = [await instance.newUser('A'), await instance.newUser('B')];
  const two = await newPolicy(instance.root, 'two of them', {
    condition: "activity.kind == 'CREATE_WALLET'",
    consensus: `approvers.count() >= 2 && approvers.all(user, user.id in ['${a.userId}', '${b.userId}'])`,
  });
  const deny = await newPolicy(instance.root, 'not this one', {
    effect: 'EFFECT_DENY',
    condition: "activity.kind == 'DELETE_USERS'",
  });
  const body = a.client.bodyOf('CREATE_WALLET', wallet('Both'));
  const first = await a.client.send(submitPath('CREATE_WALLET'), body);
  assert.equal(first.body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', first.text);
  const { activity } = (await b.client.send(submitPath('CREATE_WALLET'), body)).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
  const records = await evaluationsOf(a.client, activity.id);
  assert.deepEqual(
    records.map((record: { voteId: string }) => record.voteId),
    activity.votes.map((vote: { id: string }) => vote.id),
  );
  assert.equal(new Set(records.map((record: { id: string }) => record.id)).size, 2);
  const [before, after] = records.map((record: { policyEvaluations: Outcome[] }) => outcomes(record.policyEvaluations));
  assert.deepEqual(after, { [two]: 'OUTCOME_ALLOW', [deny]: 'OUTCOME_DENY_IMPLICIT' });
  assert.notEqual(before[two], 'OUTCOME_ALLOW');
});

test('a refusal is on record too, with the policy that denied, and why one could not be evaluated', async () => {
  const { client, userId } = await instance.newUser('Denied');
  const mine = `approvers.any(user, user.id == '${userId}')`;
  const deny = await newPolicy(instance.root, 'no keys', {
    effect: 'EFFECT_DENY',
    condition: "activity.kind == 'CREATE_PRIVATE_KEYS'",
    consensus: mine,
  });
  const fails = await newPolicy(instance.root, 'fails', {
    condition: "activity.kind == 'CREATE_PRIVATE_KEYS' && wallet.label == 'x'",
    consensus: mine,
  });
  const privateKey = { privateKeyName: 'No', curve: 'CURVE_P256', privateKeyTags: [], addressFormats: [] };
  const answer = await client.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys: [privateKey] });
  assert.equal(answer.status, 403);
  const filter = { filterByStatus: ['ACTIVITY_STATUS_FAILED'], filterByType: ['ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2'] };
  const [{ id }] = (await client.query('list_activities', filter)).body.activities;
  const [record] = await evaluationsOf(client, id);
  const found = outcomes(record.policyEvaluations);
  assert.deepEqual([found[deny], found[fails]], ['OUTCOME_DENY_EXPLICIT', 'OUTCOME_ERROR']);
  const { reason } = record.policyEvaluations.find((e: Outcome) => e.policyId === fails);
  assert.match(reason, /wallet/);
});

test('the parent reads them; elsewhere the activity is nothing', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const { activity } = (await sub.clients[0]!.submit('CREATE_WALLET', wallet('Theirs'))).body;
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  assert.equal((await evaluationsOf(parent, activity.id)).length, 1);
  await hidesOthers(instance.root, 'get_policy_evaluations', 'activityId', activity.id, /activity not found/);
});

test('bad parameters are named', () =>
  refusesEach(instance.root, 'get_policy_evaluations', [
    [{}, 'activityId', /is required/],
    [{ activityId: 'x' }, 'activityId', /must be a UUID/],
  ]));
