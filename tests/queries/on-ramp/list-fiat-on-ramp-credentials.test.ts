import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listFiatOnRampCredentials } from '../../../src/queries/on-ramp/list-fiat-on-ramp-credentials.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { moonpayCredential } from '../../support/on-ramp.ts';

const instance = await sharedInstance();

test('credentials are listed in the order of their creation, to users of the organization and of its parent', async () => {
  const { organizationId, clients } = await instance.newSubOrganization('Shop', 1, 1);
  const sample = await moonpayCredential(instance.url);
  const ids: string[] = [];
  for (const publishableApiKey of ['pk_test_1', 'pk_test_2', 'pk_test_3']) {
    const made = await clients[0]!.submit('CREATE_FIAT_ON_RAMP_CREDENTIAL', { ...sample, publishableApiKey });
    ids.push(resultOf(made, 'createFiatOnRampCredentialResult').fiatOnRampCredentialId);
  }
  for (const client of [clients[0]!, instance.root.as(instance.root.keys, organizationId)]) {
    const { body } = await client.query('list_fiat_on_ramp_credentials');
    assert.deepEqual(listFiatOnRampCredentials.result.parse(body), body);
    assert.deepEqual(
      body.fiatOnRampCredentials.map((one: Record<string, unknown>) => [one.fiatOnrampCredentialId, one.organizationId]),
      ids.map((id) => [id, organizationId]),
    );
  }
  assert.deepEqual((await instance.root.query('list_fiat_on_ramp_credentials')).body, { fiatOnRampCredentials: [] });
});
