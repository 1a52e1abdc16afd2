import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, resultOf } from '../../support/client.ts';
import { coinbaseCredential, encryptedFor, moonpayCredential } from '../../support/on-ramp.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'UPDATE_FIAT_ON_RAMP_CREDENTIAL';
const KEY = 'updateFiatOnRampCredentialResult';
const old = { ...(await coinbaseCredential(instance.url)), sandboxMode: true };
const changed = await moonpayCredential(instance.url);
const made = await instance.root.submit('CREATE_FIAT_ON_RAMP_CREDENTIAL', old);
const id = resultOf(made, 'createFiatOnRampCredentialResult').fiatOnRampCredentialId as string;
const sample = { ...changed, fiatOnrampCredentialId: id };

const only = async (client: Client) => (await client.query('list_fiat_on_ramp_credentials')).body.fiatOnRampCredentials[0];

test('everything but its id and mode is replaced', async () => {
  const before = await only(instance.root);
  instance.clock.advance(1000);
  assert.deepEqual(resultOf(await instance.root.submit(TYPE, sample), KEY), { fiatOnRampCredentialId: id });
  const { updatedAt, ...rest } = await only(instance.root);
  const { organizationId, createdAt } = before;
  assert.deepEqual(rest, { ...changed, fiatOnrampCredentialId: id, organizationId, createdAt, sandboxMode: true });
  assert.notDeepEqual(updatedAt, before.updatedAt);
});

test('a credential that does not exist is refused, and so is one of another organization', async () => {
  const missing: [number, string, RegExp] = [404, 'UNSPECIFIED', /^on-ramp credential not found: parameters/];
  refused(await instance.root.submit(TYPE, { ...sample, fiatOnrampCredentialId: NOBODY }), missing);
  const { activity } = (await agreed(pair, TYPE, sample)).body;
  assert.match(activity.failure.message, missing[2]);
});

test('keys that cannot be used change nothing', async () => {
  const before = await only(instance.root);
  const encryptedPrivateApiKey = await encryptedFor(instance.url, 'no key');
  await refusesEach(instance.root, TYPE, [
    [{ ...sample, encryptedSecretApiKey: 'ab' }, 'parameters.encryptedSecretApiKey', /is not base58/],
    [{ ...sample, encryptedPrivateApiKey }, 'parameters.encryptedPrivateApiKey', /must not be set/],
    [{ ...sample, fiatOnrampCredentialId: 'x' }, 'parameters.fiatOnrampCredentialId', /must be a UUID/],
  ]);
  assert.deepEqual(await only(instance.root), before);
});
