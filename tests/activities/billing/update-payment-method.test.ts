import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samples } from '../../support/all-samples.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';

const instance = await sharedInstance();
const { root } = instance;
const TYPE = 'UPDATE_PAYMENT_METHOD';
const sample = samples(TYPE) as { paymentEmail: string };

test('an organization without a payment method has nothing to change', async () => {
  refused(await root.submit(TYPE, sample), [404, 'UNSPECIFIED', /has no payment method/]);
});

test('the address for invoices is changed, and nothing else', async () => {
  await root.submit('SET_PAYMENT_METHOD_V2', samples('SET_PAYMENT_METHOD'));
  const { billingAccounts } = instance.engine.store.read;
  const before = (await billingAccounts.get(root.organizationId))!;
  assert.deepEqual(resultOf(await root.submit(TYPE, sample), 'updatePaymentMethodResult'), sample);
  const after = (await billingAccounts.get(root.organizationId))!;
  assert.deepEqual(after, { ...before, ...sample, updatedAt: after.updatedAt });
});

test('an address that is none, an unknown member and a sub-organization are refused', async () => {
  refused(await root.submit(TYPE, { paymentEmail: 'nobody' }), [400, 'INVALID_EMAIL', /paymentEmail/]);
  refused(await root.submit(TYPE, { ...sample, number: '4242424242424242' }), [400, 'REQUEST_INVALID', /card data is never/]);
  const [below] = (await instance.newSubOrganization('Below', 1, 1)).clients;
  refused(await below!.submit(TYPE, sample), [400, 'INVALID_ACTIVITY_CALLER', /sub-organization/]);
});
