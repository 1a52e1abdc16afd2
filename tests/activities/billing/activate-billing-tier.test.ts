import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';

const instance = await sharedInstance();
const { root } = instance;
const TYPE = 'ACTIVATE_BILLING_TIER';

test('the tier is noted, and a later one replaces it', async () => {
  const tier = async (parameters: object) =>
    assert.deepEqual(resultOf(await root.submit(TYPE, parameters), 'activateBillingTierResult'), {
      productId: 'PRODUCT_TYPE_PRO',
    });
  await tier({ productId: 'PRODUCT_TYPE_PRO', orbPlanId: 'plan' });
  const { billingAccounts } = instance.engine.store.read;
  assert.equal((await billingAccounts.get(root.organizationId))?.planId, 'plan');
  await tier({ productId: 'PRODUCT_TYPE_PRO' });
  assert.equal((await billingAccounts.get(root.organizationId))?.planId, '');
});

test('a sub-organization has no tier of its own', async () => {
  const [below] = (await instance.newSubOrganization('Below', 1, 1)).clients;
  refused(await below!.submit(TYPE, { productId: 'PRODUCT_TYPE_PRO' }), [400, 'INVALID_ACTIVITY_CALLER', /sub-organization/]);
});
