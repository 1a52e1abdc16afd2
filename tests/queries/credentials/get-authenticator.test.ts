import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getAuthenticator } from '../../../src/queries/credentials/get-authenticator.ts';
import { SoftAuthenticator } from '../../support/authenticator.ts';
import { sharedInstance } from '../../support/instance.ts';
import { addPasskey } from '../../support/passkey-client.ts';
import { NOBODY, refused } from '../../support/refusals.ts';

const instance = await sharedInstance();

test('one passkey, for everybody in the organization and the parent', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const [client] = sub.clients;
  const authenticator = new SoftAuthenticator('RS256');
  const authenticatorId = await addPasskey(client!, sub.userIds[0]!, authenticator);
  const { body } = await client!.query('get_authenticator', { authenticatorId });
  assert.deepEqual(getAuthenticator.result.parse(body), body, 'the answer has its declared shape');
  assert.equal(body.authenticator.credentialId, authenticator.id);
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  assert.deepEqual((await parent.query('get_authenticator', { authenticatorId })).body, body);
  const unknown: [number, string, RegExp] = [404, 'UNSPECIFIED', /webauthn authenticator not found in organization/];
  for (const id of [authenticatorId, NOBODY])
    refused(await instance.root.query('get_authenticator', { authenticatorId: id }), unknown);
});
