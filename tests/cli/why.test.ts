import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { approvedBy } from '../e2e/authority.ts';
import { resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { NOBODY } from '../support/refusals.ts';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

const instance = await sharedInstance();

function why(...args: string[]): Promise<{ code: number; text: string; complaint: string }> {
  const credentials = join(instance.dataDir, 'root-credentials.json');
  const all = [CLI, 'why', ...args, '--url', instance.url, '--credentials', credentials];
  return new Promise((resolve) =>
    execFile(process.execPath, all, { env: { PATH: process.env.PATH } }, (error, text, complaint) =>
      resolve({ code: error === null ? 0 : Number(error.code), text, complaint }),
    ),
  );
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
