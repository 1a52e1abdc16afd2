/** The published clients have types of billing, but no methods. They send any request, and read its activity. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { createActivityPoller, TurnkeyClient } from '@turnkey/http';
import { Turnkey } from '@turnkey/sdk-server';
import { samples } from '../support/all-samples.ts';
import { submitPath } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';

const instance = await sharedInstance();
const { organizationId, apiPublicKey, apiPrivateKey } = instance.credentials;
const http = new TurnkeyClient({ baseUrl: instance.url }, new ApiKeyStamper({ apiPublicKey, apiPrivateKey }));
const server = new Turnkey({ apiBaseUrl: instance.url, apiPublicKey, apiPrivateKey, defaultOrganizationId: organizationId });

const bodyOf = (type: string, parameters: unknown) => ({
  ...{ type: `ACTIVITY_TYPE_${type}`, timestampMs: String(Date.now()), organizationId, parameters },
});
const STEPS = [
  ['ACTIVATE_BILLING_TIER', samples('ACTIVATE_BILLING_TIER'), 'activateBillingTier'],
  ['SET_PAYMENT_METHOD_V2', samples('SET_PAYMENT_METHOD'), 'setPaymentMethod'],
  ['UPDATE_PAYMENT_METHOD', samples('UPDATE_PAYMENT_METHOD'), 'updatePaymentMethod'],
  ['DELETE_PAYMENT_METHOD', samples('DELETE_PAYMENT_METHOD'), 'deletePaymentMethod'],
] as const;

test('@turnkey/http polls each activity, and @turnkey/sdk-server reads its intent and result', async () => {
  for (const [type, parameters, name] of STEPS) {
    const requestFn = (body: object) => http.request(submitPath(type), body);
    const poll = createActivityPoller({ client: http, requestFn: requestFn as never });
    const { id } = (await poll(bodyOf(type, parameters) as never)) as { id: string };
    const { activity } = await server.apiClient().getActivity({ activityId: id });
    assert.equal(activity.type, `ACTIVITY_TYPE_${type}`);
    const member = `${name}Intent${type.endsWith('_V2') ? 'V2' : ''}`;
    assert.deepEqual(activity.intent[member as keyof typeof activity.intent], parameters);
    assert.ok(activity.result[`${name}Result` as keyof typeof activity.result], JSON.stringify(activity.result));
  }
});

test('@turnkey/http is told that card data is refused', async () => {
  const card = { number: '4242424242424242', cvv: '123', expiryMonth: '12', expiryYear: '2031' };
  const sent = http.request(submitPath('SET_PAYMENT_METHOD'), bodyOf('SET_PAYMENT_METHOD', card));
  await assert.rejects(
    sent,
    (error: Error & { code?: number }) => error.code === 3 && /_V2: card data is never/.test(error.message),
  );
});
