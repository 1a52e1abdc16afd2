import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samples } from '../../support/all-samples.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';

const instance = await sharedInstance();
const { root } = instance;
const TYPE = 'DELETE_PAYMENT_METHOD';
const sample = samples(TYPE) as { paymentMethodId: string };

test('the payment method is removed once, and the tier stays', async () => {
  await root.submit('ACTIVATE_BILLING_TIER', samples('ACTIVATE_BILLING_TIER'));
  await root.submit('SET_PAYMENT_METHOD_V2', samples('SET_PAYMENT_METHOD'));
  refused(await root.submit(TYPE, { paymentMethodId: 'pm_other' }), [404, 'UNSPECIFIED', /has another payment method/]);
  assert.deepEqual(resultOf(await root.submit(TYPE, sample), 'deletePaymentMethodResult'), sample);
  const kept = (await instance.engine.store.read.billingAccounts.get(root.organizationId))!;
  assert.deepEqual([kept.paymentMethodId, kept.cardHolderName, kept.productId], ['', '', 'PRODUCT_TYPE_PRO']);
  refused(await root.submit(TYPE, sample), [404, 'UNSPECIFIED', /has no payment method/]);
});

test('a sub-organization has none', async () => {
  const [below] = (await instance.newSubOrganization('Below', 1, 1)).clients;
  refused(await below!.submit(TYPE, sample), [400, 'INVALID_ACTIVITY_CALLER', /sub-organization/]);
});
