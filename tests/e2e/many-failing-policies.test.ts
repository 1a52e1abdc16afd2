import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKeys, resultOf, userWith } from '../support/client.ts';
import { startInstance } from '../support/instance.ts';
import { signing } from './authority.ts';

test('a refused request stores few of many policies that fail on it', async () => {
  const instance = await startInstance();
  try {
    const { clients } = await instance.newSubOrganization('Many', 1, 1);
    const root = clients[0]!;
    const keys = newKeys();
    resultOf(
      await root.submit('CREATE_USERS_V4', { users: [{ ...userWith('Signer', [keys]), userTags: [] }] }),
      'createUsersResult',
    );
    const policies = Array.from({ length: 100 }, (_, i) => ({
      policyName: `${i}`,
      effect: 'EFFECT_ALLOW',
      condition: `wallet_account.address == '0x${i.toString(16).padStart(40, '0')}'`,
      consensus: 'approvers.count() > 0',
      notes: '',
    }));
    const named = (batch: string) => policies.map((policy) => ({ ...policy, policyName: `${batch} ${policy.policyName}` }));
    for (const batch of ['first', 'second'])
      resultOf(await root.submit('CREATE_POLICIES', { policies: named(batch) }), 'createPoliciesResult');
    // No key has this name, so that nothing is known of a wallet account.
    const refused = await root.as(keys).submit('SIGN_RAW_PAYLOAD_V2', signing('nothing'));
    assert.equal(refused.status, 403, refused.text);
    const [row] = await instance.raw("SELECT evaluations FROM activities WHERE status = 'ACTIVITY_STATUS_FAILED'");
    const { evaluations, more } = JSON.parse(String(row?.evaluations)) as { evaluations: unknown[]; more: number };
    assert.deepEqual([evaluations.length, more], [100, 100]);
    const failed = (await root.query('list_activities', { filterByStatus: ['ACTIVITY_STATUS_FAILED'] })).body.activities;
    const [told] = (await root.query('get_policy_evaluations', { activityId: failed[0].id })).body.policyEvaluations;
    assert.equal(told.policyEvaluations.length, 100);
  } finally {
    await instance.close();
  }
});
