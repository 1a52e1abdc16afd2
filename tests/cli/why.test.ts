import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { approvedBy } from '../e2e/authority.ts';
import { cli } from '../support/cli.ts';
import { resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { NOBODY } from '../support/refusals.ts';

const instance = await sharedInstance();

async function why(...args: string[]): Promise<{ code: number; text: string; complaint: string }> {
  const credentials = join(instance.dataDir, 'root-credentials.json');
  const { code, out, err } = await cli(['why', ...args, '--url', instance.url, '--credentials', credentials]);
  return { code, text: out, complaint: err };
}

test('what became of an activity, for people and for machines', async () => {
  const { client, userId } = await instance.newUser('Ann');
  const policy = {
    policyName: 'Ann makes tags',
    effect: 'EFFECT_ALLOW',
    condition: "activity.resource == 'USER' && activity.action == 'DELETE'",
    consensus: approvedBy(userId),
    notes: '',
  };
  const { policyId } = resultOf(await instance.root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  const refusal = await client.submit('CREATE_USER_TAG', { userTagName: 'Mine', userIds: [] });
  assert.equal(refusal.status, 403);
  const { activityId } = refusal.body.details.at(-1);
  const told = await why(activityId);
  assert.equal(told.code, 0, told.complaint);
  assert.equal(
    told.text,
    [
      `ACTIVITY_TYPE_CREATE_USER_TAG ${activityId}: FAILED`,
      `  ${refusal.body.message}`,
      `  APPROVED by Ann (${userId})`,
      `    Ann makes tags (ALLOW, ${policyId}): DENY_IMPLICIT`,
      "      condition, line 1, column 32: activity.action == 'DELETE' is false",
      '        activity.action is "CREATE"',
      '',
    ].join('\n'),
  );
  const { activity, policyEvaluations } = JSON.parse((await why(activityId, '--json')).text);
  assert.deepEqual([activity.id, policyEvaluations[0].policyEvaluations[0].policyId], [activityId, policyId]);
});

test('an activity that nobody knows, and none', async () => {
  const unknown = await why(NOBODY);
  assert.equal(unknown.code, 1);
  assert.match(unknown.complaint, /activity not found/);
  const none = await why();
  assert.deepEqual([none.code, none.complaint], [2, 'name an activity: countersign why ACTIVITY_ID\n']);
});
