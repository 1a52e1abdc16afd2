import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ethereumAccount } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { NOBODY } from '../support/refusals.ts';

const instance = await sharedInstance();

test('the audit has what the activity’s row does not say: votes and the end of what waited, by whom, and nothing twice', async () => {
  const { clients, userIds } = await instance.newSubOrganization('Audited', 3, 3);
  const [first, second, third] = clients;
  /** Submits as the first, votes as the others, and reads what the audit has of it. */
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
