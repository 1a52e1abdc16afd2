import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { encryptedSecret } from '../../support/oauth2.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'DELETE_OAUTH2_CREDENTIAL';
const KEY = 'deleteOauth2CredentialResult';
const MISSING = [404, 'OAUTH2_CREDENTIAL_NOT_FOUND', /^OAuth 2.0 credential not found/] as [number, string, RegExp];
const credential = {
  provider: 'OAUTH2_PROVIDER_DISCORD',
  clientId: '1234',
  encryptedClientSecret: await encryptedSecret(instance.url, 'secret'),
};
const made = await instance.root.submit('CREATE_OAUTH2_CREDENTIAL', credential);
const sample: { oauth2CredentialId: string } = resultOf(made, 'createOauth2CredentialResult');

test('what another organization has', async () => {
  const { activity } = (await agreed(pair, TYPE, sample)).body;
  assert.match(activity.failure.message, MISSING[2]);
  assert.equal((await instance.root.query('get_oauth2_credential', sample)).status, 200);
});

test('it is gone, with its secret, and cannot be deleted again', async () => {
  assert.deepEqual(resultOf(await instance.root.submit(TYPE, sample), KEY), sample);
  refused(await instance.root.query('get_oauth2_credential', sample), MISSING);
  assert.deepEqual(await instance.raw('SELECT id FROM oauth2_credentials'), []);
  for (const oauth2CredentialId of [sample.oauth2CredentialId, NOBODY])
    refused(await instance.root.submit(TYPE, { oauth2CredentialId }), MISSING);
});

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [[{ oauth2CredentialId: 'x' }, 'parameters.oauth2CredentialId', /must be a UUID/]]));
