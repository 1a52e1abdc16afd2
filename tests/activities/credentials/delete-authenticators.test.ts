import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SoftAuthenticator } from '../../support/authenticator.ts';
import { resultOf, submitPath, userWith } from '../../support/client.ts';
import { addPasskey, byPasskey } from '../../support/passkey-client.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { agreed, sharedPair, waitsForBoth } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'DELETE_AUTHENTICATORS';
const KEY = 'deleteAuthenticatorsResult';
const LAST: [number, string, RegExp] = [400, 'REQUEST_INVALID', /user must have at least one valid credential/];

const listed = async (userId: string) =>
  (await instance.root.query('get_authenticators', { userId })).body.authenticators as { authenticatorId: string }[];

test('a deleted passkey is refused at once, for queries, submits and a body that it stamped before', async () => {
  const user = await instance.newUser('Deletes');
  const authenticator = new SoftAuthenticator();
  const id = await addPasskey(user.client, user.userId, authenticator);
  const passkey = byPasskey(user.client, authenticator);
  const another = { userId: user.userId, authenticators: [new SoftAuthenticator().register()] };
  const earlier = user.client.bodyOf('CREATE_AUTHENTICATORS_V2', another);
  resultOf(await passkey.send(submitPath('CREATE_AUTHENTICATORS'), earlier), 'createAuthenticatorsResult');
  // The passkey takes itself away.
  const result = resultOf(await passkey.submit(TYPE, { userId: user.userId, authenticatorIds: [id, id] }), KEY);
  assert.deepEqual(result, { authenticatorIds: [id, id] });
  const gone: [number, string, RegExp] = [401, 'CREDENTIAL_NOT_FOUND', /credential ID could not be found in organization/];
  refused(await passkey.query('whoami'), gone);
  refused(await passkey.send(submitPath('CREATE_AUTHENTICATORS'), earlier), gone);
  assert.equal((await listed(user.userId)).length, 1);
  // The credential id is free again.
  await addPasskey(user.client, user.userId, authenticator);
  assert.equal((await passkey.query('whoami')).status, 200);
});

test('the last credential stays, whichever kind it is of', async () => {
  const authenticators = [new SoftAuthenticator(), new SoftAuthenticator()];
  const user = { ...userWith('Passkeys', []), userTags: [], authenticators: authenticators.map((a) => a.register()) };
  const made = await instance.root.submit('CREATE_USERS_V4', { users: [user] });
  const [userId] = resultOf(made, 'createUsersResult').userIds;
  const ids = (await listed(userId)).map(({ authenticatorId }) => authenticatorId);
  const passkey = byPasskey(instance.root, authenticators[0]!);
  refused(await passkey.submit(TYPE, { userId, authenticatorIds: ids }), LAST, 'parameters.authenticatorIds');
  assert.equal((await listed(userId)).length, 2, 'nothing of a failed activity stays');
  resultOf(await passkey.submit(TYPE, { userId, authenticatorIds: [ids[1]] }), KEY);
  refused(await passkey.submit(TYPE, { userId, authenticatorIds: [ids[0]] }), LAST);
});

test('a passkey lets the last API key go, and an API key the last passkey', async () => {
  const user = await instance.newUser('Both');
  const authenticator = new SoftAuthenticator();
  const id = await addPasskey(user.client, user.userId, authenticator);
  const [{ apiKeyId }] = (await user.client.query('get_api_keys', { userId: user.userId })).body.apiKeys;
  const passkey = byPasskey(user.client, authenticator);
  resultOf(await passkey.submit('DELETE_API_KEYS', { userId: user.userId, apiKeyIds: [apiKeyId] }), 'deleteApiKeysResult');
  refused(await passkey.submit(TYPE, { userId: user.userId, authenticatorIds: [id] }), LAST);
  const other = await instance.newUser('Key');
  const its = await addPasskey(other.client, other.userId, new SoftAuthenticator());
  resultOf(await other.client.submit(TYPE, { userId: other.userId, authenticatorIds: [its] }), KEY);
});

test('unknown users and passkeys, and passkeys of somebody else', async () => {
  const [user, other] = [await instance.newUser('Someone'), await instance.newUser('Else')];
  const mine = await addPasskey(user.client, user.userId, new SoftAuthenticator());
  const theirs = await addPasskey(other.client, other.userId, new SoftAuthenticator());
  const { root } = instance;
  const noUser: [number, string, RegExp] = [404, 'UNSPECIFIED', /user not found/];
  refused(await root.submit(TYPE, { userId: NOBODY, authenticatorIds: [mine] }), noUser);
  refused(await root.submit(TYPE, { userId: pair.userIds[0], authenticatorIds: [mine] }), noUser);
  for (const authenticatorIds of [[NOBODY], [theirs], [mine, theirs]])
    refused(await root.submit(TYPE, { userId: user.userId, authenticatorIds }), [404, 'UNSPECIFIED', /authenticator not found/]);
  assert.equal((await listed(user.userId)).length, 1);
});

test('a deleted user’s passkeys are gone', async () => {
  const user = await instance.newUser('Leaves');
  const authenticator = new SoftAuthenticator();
  const id = await addPasskey(user.client, user.userId, authenticator);
  resultOf(await instance.root.submit('DELETE_USERS', { userIds: [user.userId] }), 'deleteUsersResult');
  assert.equal((await byPasskey(user.client, authenticator).query('whoami')).status, 401);
  assert.equal((await instance.root.query('get_authenticator', { authenticatorId: id })).status, 404);
});

test('waits for the second root user; an approval whose passkey was deleted meanwhile no longer counts', async () => {
  const authenticator = new SoftAuthenticator();
  const added = { userId: pair.userIds[0], authenticators: [authenticator.register()] };
  const made = await agreed(pair, 'CREATE_AUTHENTICATORS_V2', added);
  const [id] = resultOf(made, 'createAuthenticatorsResult').authenticatorIds;
  const body = pair.clients[0].bodyOf('CREATE_WALLET', { walletName: 'Waits', accounts: [] });
  const path = submitPath('CREATE_WALLET');
  const first = await byPasskey(pair.clients[0], authenticator).send(path, body);
  assert.equal(first.body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  await waitsForBoth(pair, TYPE, { userId: pair.userIds[0], authenticatorIds: [id] }, KEY);
  const alone = (await pair.clients[1].send(path, body)).body.activity;
  assert.equal(alone.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', 'one living approval of two');
  assert.equal((await pair.clients[0].send(path, body)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
});
