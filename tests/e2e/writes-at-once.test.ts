import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, apiKey, type Client, newKeys, resultOf, userWith } from '../support/client.ts';
import { amount } from '../support/full.ts';
import { type Arena, races } from './races.ts';

/** Each of these changes what decisions in its organization rest on, so that all others are decided again. */

const MANY = amount(20, 40);
const race = races({});

const newPolicy = (client: Client, i: number): Promise<Answer> =>
  client.submit('CREATE_POLICY_V3', { policyName: `policy ${i}`, effect: 'EFFECT_ALLOW', condition: 'false', notes: '' });

const allAnswered = (answers: readonly Answer[]) =>
  assert.deepEqual(
    answers.filter(({ status }) => status !== 200).map(({ text }) => text),
    [],
  );

async function policiesOf({ clients }: Arena): Promise<number> {
  const { policies } = (await clients[0]!.query('list_policies')).body;
  return policies.length;
}

test('all that one user creates at once in an organization is created', async () => {
  const arena = await race.arena();
  const at = (i: number) => arena.clients[i % arena.clients.length]!;
  allAnswered(await Promise.all(Array.from({ length: MANY }, (_, i) => newPolicy(at(i), i))));
  assert.equal(await policiesOf(arena), MANY);
});

test('all that two users create at once in an organization is created, whatever it is', async () => {
  const arena = await race.arena();
  const [first] = arena.clients as [Client];
  const keys = newKeys();
  const users = [{ ...userWith('Second', [keys]), userTags: [] }];
  const { userIds } = resultOf(await first.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  const condition = { consensus: `approvers.any(user, user.id == '${userIds[0]}')`, condition: 'true' };
  const may = { policyName: 'The second may', effect: 'EFFECT_ALLOW', notes: '', ...condition };
  resultOf(await first.submit('CREATE_POLICY_V3', may), 'createPolicyResult');
  const newKey = (client: Client) =>
    client.submit('CREATE_API_KEYS_V2', { userId: arena.userId, apiKeys: [apiKey(newKeys(), { expirationSeconds: '3600' })] });
  const answers = Array.from({ length: MANY }, (_, i) => {
    const at = arena.clients[(i >> 1) % arena.clients.length]!;
    const client = i % 2 === 0 ? at : at.as(keys, at.organizationId);
    return i % 5 === 4 ? newKey(client) : newPolicy(client, i);
  });
  allAnswered(await Promise.all(answers));
  assert.equal(await policiesOf(arena), MANY * 0.8 + 1);
});

test('a vote is counted, too, while others vote at once', async () => {
  const { clients } = await race.top();
  const top = clients[0]!;
  const voters = Array.from({ length: 24 }, newKeys);
  const parameters = {
    subOrganizationName: 'All must agree',
    rootQuorumThreshold: voters.length,
    rootUsers: voters.map((keys, i) => userWith(`Voter ${i}`, [keys])),
  };
  const { subOrganizationId } = resultOf(
    await top.submit('CREATE_SUB_ORGANIZATION_V8', parameters),
    'createSubOrganizationResultV8',
  );
  const [submitter, ...others] = voters.map((keys, i) => clients[i % clients.length]!.as(keys, subOrganizationId));
  const waiting = await newPolicy(submitter!, 0);
  const { fingerprint, id } = waiting.body.activity;
  allAnswered(await Promise.all(others.map((other) => other.submit('APPROVE_ACTIVITY', { fingerprint }))));
  const { activity } = (await submitter!.query('get_activity', { activityId: id })).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
  assert.equal(activity.votes.length, voters.length);
});
