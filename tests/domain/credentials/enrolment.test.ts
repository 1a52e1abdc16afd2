import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENROL_PROFILE } from '../../../src/model/session-profile.ts';
import { login, mayAsk } from '../../activities/sessions/support.ts';
import { sharedPair } from '../../activities/support.ts';
import { SoftAuthenticator } from '../../support/authenticator.ts';
import { type Client, newKeys, resultOf } from '../../support/client.ts';
import { byPasskey } from '../../support/passkey-client.ts';
import { refused } from '../../support/refusals.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const ENROL = { sessionProfileId: ENROL_PROFILE.id };
const BY_SCOPE: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /scope of the session's profile/];

test('a session that enrols adds one passkey to its user, which ends it, and does nothing else', async () => {
  const { userId } = (await root.query('whoami')).body;
  const other = await instance.newUser('Other');
  const { client } = await login(root, ENROL);
  assert.equal((await client.query('whoami')).body.userId, userId);
  for (const name of ['list_users', 'list_activities', 'create_stream_ticket', 'get_session_profiles'])
    refused(await client.query(name), [403, 'REQUEST_NOT_AUTHORIZED', /asks whoami alone/]);
  const passkeys = [new SoftAuthenticator(), new SoftAuthenticator()];
  const adds = (of: string, count: number) =>
    client.submit('CREATE_AUTHENTICATORS_V2', {
      userId: of,
      authenticators: passkeys.slice(0, count).map((one) => one.register()),
    });
  refused(await adds(userId, 2), BY_SCOPE);
  refused(await adds(other.userId, 1), BY_SCOPE);
  refused(await client.submit('STAMP_LOGIN', { publicKey: newKeys().publicKey, ...ENROL }), BY_SCOPE);
  resultOf(await adds(userId, 1), 'createAuthenticatorsResult');
  assert.equal(await mayAsk(client), 'PUBLIC_KEY_NOT_FOUND');
  assert.equal((await byPasskey(root, passkeys[0]!).query('whoami')).body.userId, userId);
});

test('a session that enrols lasts fifteen minutes, and needs a permission', async () => {
  const { client } = await login(root, { ...ENROL, expirationSeconds: '7200' });
  assert.equal(await mayAsk(client), 200);
  instance.clock.advance(901_000);
  assert.equal(await mayAsk(client), 'API_KEY_EXPIRED');
  const nobody = await instance.newUser('Nobody');
  refused(await nobody.client.submit('STAMP_LOGIN', { publicKey: newKeys().publicKey, ...ENROL }), [
    403,
    'REQUEST_NOT_AUTHORIZED',
    /permissions/,
  ]);
});

test('of two passkeys of one link that wait for approval, one is added', async () => {
  const [first, second] = pair.clients;
  const keys = newKeys();
  const body = first.bodyOf('STAMP_LOGIN', { publicKey: keys.publicKey, ...ENROL });
  for (const client of [first, second]) await client.send('/public/v1/submit/stamp_login', body);
  const session = first.as(keys);
  const add = async () => {
    const authenticators = [new SoftAuthenticator().register()];
    return (await session.submit('CREATE_AUTHENTICATORS_V2', { userId: pair.userIds[0], authenticators })).body.activity;
  };
  const waiting = [await add(), await add()];
  for (const { status } of waiting) assert.equal(status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const approve = async (client: Client, { fingerprint }: { fingerprint: string }) =>
    (await client.submit('APPROVE_ACTIVITY', { fingerprint })).body.activity?.status;
  assert.equal(await approve(second, waiting[0]), 'ACTIVITY_STATUS_COMPLETED');
  assert.equal(await approve(second, waiting[1]), 'ACTIVITY_STATUS_CONSENSUS_NEEDED', 'the vote of the ended session is gone');
  assert.equal(await approve(first, waiting[1]), 'ACTIVITY_STATUS_FAILED');
  const { authenticators } = (await first.query('get_authenticators', { userId: pair.userIds[0] })).body;
  assert.equal(authenticators.length, 1);
});
