import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getOauth2Credential } from '../../../src/queries/oauth/get-oauth2-credential.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { encryptedSecret } from '../../support/oauth2.ts';
import { NOBODY, refused, refusesEachQuery } from '../../support/refusals.ts';

const instance = await sharedInstance();

const credential = {
  provider: 'OAUTH2_PROVIDER_X',
  clientId: 'client',
  encryptedClientSecret: await encryptedSecret(instance.url, 'secret'),
};
const made = await instance.root.submit('CREATE_OAUTH2_CREDENTIAL', credential);
const ask: { oauth2CredentialId: string } = resultOf(made, 'createOauth2CredentialResult');

test('a stored credential, also for users without permission', async () => {
  const { client } = await instance.newUser('Looks');
  for (const who of [instance.root, client]) {
    const { status, body, text } = await who.query('get_oauth2_credential', ask);
    assert.equal(status, 200, text);
    assert.deepEqual(getOauth2Credential.result.parse(body), body, 'the answer has its declared shape');
    const { createdAt, updatedAt, ...rest } = body.oauth2Credential;
    assert.deepEqual(rest, { ...credential, ...ask, organizationId: instance.root.organizationId });
    assert.match(createdAt.seconds, /^\d+$/);
    assert.deepEqual(updatedAt, createdAt);
  }
});

test('a missing credential, and one of another organization', async () => {
  const other = await instance.newSubOrganization('Other', 1, 1);
  for (const [client, id] of [
    [instance.root, NOBODY],
    [other.clients[0]!, ask.oauth2CredentialId],
  ] as const)
    refused(await client.query('get_oauth2_credential', { oauth2CredentialId: id }), [
      404,
      'OAUTH2_CREDENTIAL_NOT_FOUND',
      /^OAuth 2.0 credential not found: oauth2CredentialId names /,
    ]);
});

test('bad parameters are named', () =>
  refusesEachQuery(instance.root, 'get_oauth2_credential', [
    [{ oauth2CredentialId: 'x' }, 'oauth2CredentialId', /must be a UUID/],
  ]));
