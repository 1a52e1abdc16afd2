import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getAuthenticators } from '../../../src/queries/credentials/get-authenticators.ts';
import { SoftAuthenticator } from '../../support/authenticator.ts';
import { sharedInstance } from '../../support/instance.ts';
import { addPasskey } from '../../support/passkey-client.ts';
import { NOBODY } from '../../support/refusals.ts';

const instance = await sharedInstance();

type One = { authenticatorId: string };
const idsOf = (body: { authenticators: One[] }) => body.authenticators.map(({ authenticatorId }) => authenticatorId);

test('those of a user, whole or in pages, in the order of their creation', async () => {
  const user = await instance.newUser('Three');
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.push(await addPasskey(user.client, user.userId, new SoftAuthenticator()));
  const ask = async (paginationOptions?: object) =>
    (await user.client.query('get_authenticators', { userId: user.userId, paginationOptions })).body;
  const whole = await ask();
  assert.deepEqual(getAuthenticators.result.parse(whole), whole, 'the answer has its declared shape');
  assert.deepEqual(idsOf(whole), ids);
  assert.deepEqual(idsOf(await ask({ limit: '2' })), ids.slice(0, 2));
  assert.deepEqual(idsOf(await ask({ limit: '2', after: ids[1] })), ids.slice(2));
  assert.deepEqual(idsOf(await ask({ limit: '1', before: ids[2] })), [ids[1]]);
});

test('an unknown user and a user of another organization have none', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  await addPasskey(sub.clients[0]!, sub.userIds[0]!, new SoftAuthenticator());
  for (const userId of [NOBODY, sub.userIds[0]])
    assert.deepEqual((await instance.root.query('get_authenticators', { userId })).body, { authenticators: [] });
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  assert.equal((await parent.query('get_authenticators', { userId: sub.userIds[0] })).body.authenticators.length, 1);
});
