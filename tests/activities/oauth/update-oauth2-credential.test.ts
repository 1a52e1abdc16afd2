import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, resultOf } from '../../support/client.ts';
import { encryptedSecret } from '../../support/oauth2.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'UPDATE_OAUTH2_CREDENTIAL';
const KEY = 'updateOauth2CredentialResult';
const old = {
  provider: 'OAUTH2_PROVIDER_X',
  clientId: 'old',
  encryptedClientSecret: await encryptedSecret(instance.url, 'old secret'),
};
const changed = {
  provider: 'OAUTH2_PROVIDER_DISCORD',
  clientId: 'new',
  encryptedClientSecret: await encryptedSecret(instance.url, 'new secret'),
};
const made = await instance.root.submit('CREATE_OAUTH2_CREDENTIAL', old);
const { oauth2CredentialId } = resultOf(made, 'createOauth2CredentialResult');
const sample = { ...changed, oauth2CredentialId };

const get = async (client: Client, id: string) =>
  (await client.query('get_oauth2_credential', { oauth2CredentialId: id })).body.oauth2Credential;

test('everything but its id is replaced', async () => {
  const before = await get(instance.root, oauth2CredentialId);
  instance.clock.advance(1000);
  assert.deepEqual(resultOf(await instance.root.submit(TYPE, sample), KEY), { oauth2CredentialId });
  const { updatedAt, ...rest } = await get(instance.root, oauth2CredentialId);
  assert.deepEqual({ ...rest, updatedAt: before.updatedAt }, { ...before, ...changed });
  assert.notDeepEqual(updatedAt, before.updatedAt);
});

test('a credential that does not exist is refused, and so is one of another organization', async () => {
  const missing: [number, string, RegExp] = [404, 'OAUTH2_CREDENTIAL_NOT_FOUND', /^OAuth 2.0 credential not found: parameters/];
  refused(await instance.root.submit(TYPE, { ...sample, oauth2CredentialId: NOBODY }), missing);
  const { activity } = (await agreed(pair, TYPE, sample)).body;
  assert.match(activity.failure.message, missing[2]);
});

test('a secret that is not sealed to the service changes nothing', async () => {
  const before = await get(instance.root, oauth2CredentialId);
  await refusesEach(instance.root, TYPE, [
    [{ ...sample, encryptedClientSecret: 'ab' }, 'parameters.encryptedClientSecret', /is not an envelope/],
  ]);
  assert.deepEqual(await get(instance.root, oauth2CredentialId), before);
});

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [
    [{ ...sample, oauth2CredentialId: 'x' }, 'parameters.oauth2CredentialId', /must be a UUID/],
    [{ ...sample, provider: undefined }, 'parameters.provider', /must be/],
  ]));
