import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { type Client, ethereumAccount, submitPath } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { NOBODY } from '../support/refusals.ts';

const instance = await sharedInstance();

test('the audit has what the activity’s row does not say: votes and the end of what waited, by whom, and nothing twice', async () => {
  const { clients, userIds } = await instance.newSubOrganization('Audited', 3, 3);
  const [first, second, third] = clients;
  /** Submits as the first client, votes as the others, and reads the audit rows of the activity. */
  async function events(type: string, parameters: object, ...votes: [client: typeof first, vote: string][]) {
    const { activity } = (await first!.submit(type, parameters)).body;
    for (const [client, vote] of votes) {
      const answer = await client!.submit(vote, { fingerprint: activity.fingerprint });
      assert.equal(answer.status, 200, answer.text);
    }
    const rows = await instance.raw('SELECT event, actor_user_id FROM audit WHERE activity_id = $1 ORDER BY id', activity.id);
    return rows.map((row) => [row.event, userIds.indexOf(row.actor_user_id as string)]);
  }
  const wallet = (walletName: string) => ({ walletName, accounts: [ethereumAccount()] });
  const approved = [second, 'APPROVE_ACTIVITY'] as [typeof first, string];
  const finished = [third, 'APPROVE_ACTIVITY'] as [typeof first, string];
  assert.deepEqual(await events('CREATE_WALLET', wallet('One'), approved, approved, finished), [
    ['vote.approved', 1],
    ['vote.approved', 2],
    ['activity.completed', 2],
  ]);
  assert.deepEqual(await events('DELETE_WALLETS', { walletIds: [NOBODY] }, approved, finished), [
    ['vote.approved', 1],
    ['vote.approved', 2],
    ['activity.failed', 2],
  ]);
  assert.deepEqual(await events('CREATE_WALLET', wallet('Two'), [second, 'REJECT_ACTIVITY']), [
    ['vote.rejected', 1],
    ['activity.rejected', 1],
  ]);
});

test('a stamp that another user adds to an approval is in the audit of the approval too', async () => {
  const { clients, userIds } = await instance.newSubOrganization('Repeated', 3, 3);
  const [first, second, third] = clients as [Client, Client, Client];
  const { fingerprint } = (await first.submit('CREATE_WALLET', { walletName: 'One', accounts: [] })).body.activity;
  const body = second.bodyOf('APPROVE_ACTIVITY', { fingerprint });
  for (const client of [second, third, third]) {
    const answer = await client.send(submitPath('APPROVE_ACTIVITY'), body);
    assert.equal(answer.status, 200, answer.text);
  }
  const approval = createHash('sha256').update(body).digest('hex');
  const [own] = (await first.query('list_activities')).body.activities.filter((one: { fingerprint: string }) =>
    one.fingerprint.endsWith(approval),
  );
  const rows = await instance.raw('SELECT event, actor_user_id FROM audit WHERE activity_id = $1', own.id);
  assert.deepEqual(
    rows.map((row) => [row.event, userIds.indexOf(row.actor_user_id as string)]),
    [['vote.approved', 2]],
  );
});

test('an activity names the version of facts that its decision rested on, and the version that they got', async () => {
  const { clients, organizationId } = await instance.newSubOrganization('Versions', 2, 1);
  const [first, second] = clients;
  const current = async () => {
    const [row] = await instance.raw('SELECT version FROM organizations WHERE id = $1', organizationId);
    return Number(row!.version);
  };
  const versions = async (id: string) => {
    const [row] = await instance.raw('SELECT facts_version, facts_after FROM activities WHERE id = $1', id);
    return [Number(row!.facts_version), row!.facts_after === null ? null : Number(row!.facts_after)];
  };
  const submit = async (type: string, parameters: object) => (await first!.submit(type, parameters)).body.activity;
  const started = await current();
  const made = await submit('CREATE_WALLET', { walletName: 'One', accounts: [ethereumAccount()] });
  assert.deepEqual(await versions(made.id), [started, null]);
  const condition = { condition: 'true', consensus: 'true', notes: '' };
  const policy = await submit('CREATE_POLICY_V3', { policyName: 'One', effect: 'EFFECT_ALLOW', ...condition });
  assert.deepEqual(await versions(policy.id), [started, started + 1]);
  assert.equal(await current(), started + 1);
  const quorum = {
    threshold: 2,
    userIds: (await first!.query('list_users')).body.users.map((u: { userId: string }) => u.userId),
  };
  const raised = await submit('UPDATE_ROOT_QUORUM', quorum);
  assert.deepEqual(await versions(raised.id), [started + 1, started + 2]);
  // What waited names the facts of the decision that ended its waiting.
  const waits = await submit('UPDATE_ROOT_QUORUM', { ...quorum, threshold: 1 });
  assert.deepEqual(await versions(waits.id), [started + 2, null]);
  assert.equal((await second!.submit('APPROVE_ACTIVITY', { fingerprint: waits.fingerprint })).status, 200);
  assert.deepEqual(await versions(waits.id), [started + 2, started + 3]);
  assert.equal(await current(), started + 3);
});
