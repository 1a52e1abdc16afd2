import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { moonpayCredential } from '../../support/on-ramp.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { agreed, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'DELETE_FIAT_ON_RAMP_CREDENTIAL';
const KEY = 'deleteFiatOnRampCredentialResult';

test('a credential is gone for its own organization alone', async () => {
  const made = await instance.root.submit('CREATE_FIAT_ON_RAMP_CREDENTIAL', await moonpayCredential(instance.url));
  const id = resultOf(made, 'createFiatOnRampCredentialResult').fiatOnRampCredentialId;
  const missing: [number, string, RegExp] = [404, 'UNSPECIFIED', /^on-ramp credential not found: parameters/];
  const { activity } = (await agreed(pair, TYPE, { fiatOnrampCredentialId: id })).body;
  assert.match(activity.failure.message, missing[2]);
  const deleted = resultOf(await instance.root.submit(TYPE, { fiatOnrampCredentialId: id }), KEY);
  assert.deepEqual(deleted, { fiatOnRampCredentialId: id });
  assert.deepEqual((await instance.root.query('list_fiat_on_ramp_credentials')).body, { fiatOnRampCredentials: [] });
  for (const fiatOnrampCredentialId of [id, NOBODY])
    refused(await instance.root.submit(TYPE, { fiatOnrampCredentialId }), missing);
});
