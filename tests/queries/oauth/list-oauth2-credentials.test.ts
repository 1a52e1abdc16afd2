import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listOauth2Credentials } from '../../../src/queries/oauth/list-oauth2-credentials.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { encryptedSecret } from '../../support/oauth2.ts';
import { refusesEachQuery } from '../../support/refusals.ts';

const instance = await sharedInstance();
const encryptedClientSecret = await encryptedSecret(instance.url, 'secret');

async function add(client: Client, clientId: string): Promise<void> {
  const credential = { provider: 'OAUTH2_PROVIDER_DISCORD', clientId, encryptedClientSecret };
  resultOf(await client.submit('CREATE_OAUTH2_CREDENTIAL', credential), 'createOauth2CredentialResult');
}

const list = async (client: Client, more: object = {}) => {
  const { status, body, text } = await client.query('list_oauth2_credentials', more);
  assert.equal(status, 200, text);
  assert.deepEqual(listOauth2Credentials.result.parse(body), body, 'the answer has its declared shape');
  return body.oauth2Credentials;
};

const names = (credentials: { clientId: string }[]) => credentials.map(({ clientId }) => clientId);

test('an organization’s own, in order, whole or in pages', async () => {
  const other = (await instance.newSubOrganization('Other', 1, 1)).clients[0]!;
  assert.deepEqual(await list(instance.root), []);
  for (const clientId of ['one', 'two', 'three']) await add(instance.root, clientId);
  await add(other, 'other');

  const all = await list(instance.root);
  assert.deepEqual(names(all), ['one', 'two', 'three']);
  assert.equal(all[0].encryptedClientSecret, encryptedClientSecret);
  assert.deepEqual(names(await list(other)), ['other']);
  const page = await list(instance.root, { paginationOptions: { limit: '2', after: all[0].oauth2CredentialId } });
  assert.deepEqual(names(page), ['two', 'three']);
});

test('bad parameters are named', () =>
  refusesEachQuery(instance.root, 'list_oauth2_credentials', [
    [{ paginationOptions: { limit: '0' } }, 'paginationOptions.limit', /from 1 to 100/],
  ]));
