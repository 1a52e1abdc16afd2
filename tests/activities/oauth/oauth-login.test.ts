import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { verifySessionJwtSignature } from '@turnkey/crypto';
import { type Keys, newKeys, resultOf, submitPath, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedIssuer } from '../../support/oidc.ts';
import { nonceOf, publishedKey } from '../../support/published.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, newPair } from '../support.ts';
import { marksOf } from '../tokens.ts';
import { badTokens, loginKeys, newPerson, type Person, pairWithAccount, worksFor } from './support.ts';

const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance(env);

const TYPE = 'OAUTH_LOGIN';
const KEY = 'oauthLoginResult';

let people = 0;
const person = () => newPerson(instance, issuer, { sub: `person ${++people}` });
const subOf = async ({ client, userId }: Person): Promise<string> =>
  (await client.query('get_oauth_providers', { userId })).body.oauthProviders[0].subject;

/** As an application does: the user signs in at the issuer, with a nonce of the key that the browser made. */
async function login(who: Person, keys: Keys, more: object = {}) {
  const oidcToken = await issuer.signIn(await subOf(who), { nonce: nonceOf(keys.publicKey) });
  return { oidcToken, publicKey: keys.publicKey, ...more };
}

const claimsOf = (session: string) => JSON.parse(atob(session.split('.')[1]!));

test('the application’s own key logs a user of a sub-organization in, and the session’s key works', async () => {
  const who = await person();
  const keys = newKeys();
  const parameters = await login(who, keys);
  const { session } = resultOf(await who.parent.submit(TYPE, parameters), KEY);

  const signer = await publishedKey(instance.url, 'session-signer');
  assert.equal(await verifySessionJwtSignature(session, signer), true);
  const { exp, ...claims } = claimsOf(session);
  assert.ok(Math.abs(exp - instance.clock.now() / 1000 - 900) < 30, 'fifteen minutes');
  assert.deepEqual(claims, {
    public_key: keys.publicKey,
    session_type: 'SESSION_TYPE_READ_WRITE',
    user_id: who.userId,
    organization_id: who.organizationId,
  });
  await worksFor(who, keys);
  const [key, ...more] = await loginKeys(who);
  assert.deepEqual([key!.credential.type, more.length], ['CREDENTIAL_TYPE_LOGIN', 0]);
});

test('a key of the sub-organization may do it too; a token in base64, and one with tknonce', async () => {
  const who = await person();
  const [first, second] = [newKeys(), newKeys()];
  const { oidcToken, publicKey } = await login(who, first);
  resultOf(await who.client.submit(TYPE, { oidcToken: Buffer.from(oidcToken).toString('base64'), publicKey }), KEY);
  await worksFor(who, first);
  const tknonce = nonceOf(second.publicKey);
  const bound = issuer.signNow({ sub: await subOf(who), tknonce, nonce: 'of the issuer’s library' });
  resultOf(await who.client.submit(TYPE, { oidcToken: bound, publicKey: second.publicKey }), KEY);
  await worksFor(who, second);
});

test('tokens that log nobody in, and leave nothing', async () => {
  const who = await person();
  const keys = newKeys();
  for (const [name, oidcToken, [code, text]] of badTokens(issuer, await subOf(who), keys.publicKey)) {
    const answer = await who.parent.submit(TYPE, { oidcToken, publicKey: keys.publicKey });
    const status = code === 'FORBIDDEN' ? 403 : 400;
    await test(name, () => refused(answer, [status, code, text], code === 'FORBIDDEN' ? undefined : 'parameters.oidcToken'));
    assert.ok(!answer.text.includes(oidcToken), 'no answer repeats a token');
  }
  assert.deepEqual(await loginKeys(who), []);
});

test('a token is bound to its key: for another key it is worth nothing, for the same one it is another session', async () => {
  const who = await person();
  const keys = newKeys();
  const parameters = await login(who, keys, { expirationSeconds: '60' });
  const body = who.parent.bodyOf(TYPE, parameters);
  const first = await who.parent.send(submitPath(TYPE), body);
  assert.deepEqual((await who.parent.send(submitPath(TYPE), body)).body, first.body, 'the same body, the same answer');

  const thief = await who.parent.submit(TYPE, { ...parameters, publicKey: newKeys().publicKey });
  refused(thief, [400, 'INVALID_OIDC_TOKEN', /its nonce must be/]);
  const again = resultOf(await who.parent.submit(TYPE, { ...parameters, expirationSeconds: '900' }), KEY);
  assert.ok(claimsOf(again.session).exp - claimsOf(first.body.activity.result[KEY].session).exp >= 800);
  assert.equal((await loginKeys(who)).length, 1, 'it has the key once');

  const atOnce = await Promise.all([1, 2, 3].map(() => who.parent.submit(TYPE, parameters)));
  for (const answer of atOnce) resultOf(answer, KEY);
  assert.equal((await loginKeys(who)).length, 1);
  await worksFor(who, keys);
});

test('invalidateExisting ends the user’s other logins, and nothing else', async () => {
  const who = await person();
  const [first, second] = [newKeys(), newKeys()];
  resultOf(await who.parent.submit(TYPE, await login(who, first)), KEY);
  resultOf(await who.parent.submit(TYPE, await login(who, second, { invalidateExisting: true })), KEY);
  refused(await who.client.as(first).query('whoami'), [401, 'PUBLIC_KEY_NOT_FOUND', /could not find public key/]);
  await worksFor(who, second);
  assert.equal((await who.client.query('whoami')).status, 200, 'their API key stays');
});

test('new keys of the issuer are fetched, and withdrawn ones end', async () => {
  const who = await person();
  const keys = newKeys();
  const old = issuer.signNow({ sub: await subOf(who), nonce: nonceOf(keys.publicKey) });
  await issuer.rotate();
  // A token with an unknown key causes one fetch every ten seconds at most.
  instance.clock.advance(11_000);
  resultOf(await who.parent.submit(TYPE, await login(who, keys)), KEY);
  const answer = await who.parent.submit(TYPE, { oidcToken: old, publicKey: keys.publicKey });
  refused(answer, [400, 'INVALID_OIDC_TOKEN', /its issuer has no key with its kid and alg/]);
});

test('an issuer that does not answer: nothing is stored, and the same body logs in later', async () => {
  const who = await person();
  const keys = newKeys();
  const body = who.parent.bodyOf(TYPE, await login(who, keys));
  // Kept keys are older than ten minutes.
  instance.clock.advance(601_000);
  issuer.answer('/jwks', (_, response) => response.writeHead(503).end());
  const later = await who.parent.send(submitPath(TYPE), body);
  issuer.answer('/jwks', undefined);
  refused(later, [503, 'UNAVAILABLE', /issuer cannot be read now/]);
  assert.deepEqual(await loginKeys(who), []);
  // A failure is remembered for five seconds.
  instance.clock.advance(6000);
  resultOf(await who.parent.send(submitPath(TYPE), body), KEY);
});

test('a login to a top-level organization is refused, and its issuer is not asked', async () => {
  const asked = issuer.asked.length;
  const parameters = { oidcToken: issuer.signNow(), publicKey: newKeys().publicKey };
  const text = /OAUTH disallowed: only users of sub-organizations/;
  refused(await instance.root.submit(TYPE, parameters), [400, 'REQUEST_INVALID', text], 'organizationId');
  assert.equal(issuer.asked.length, asked);
});

test('users with a policy may submit it, of the parent or of the sub-organization', async () => {
  const who = await person();
  const parameters = () => login(who, newKeys());
  const nobody = await instance.newUser('Nobody');
  const backend = nobody.client.as(nobody.keys, who.organizationId);
  const denied: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/];
  refused(await backend.submit(TYPE, await parameters()), denied);
  const policy = {
    policyName: 'The backend logs people in',
    effect: 'EFFECT_ALLOW',
    consensus: `approvers.any(user, user.id == '${nobody.userId}')`,
    condition: "activity.type == 'ACTIVITY_TYPE_OAUTH_LOGIN' && activity.params.session_profile_id == ''",
    notes: '',
  };
  resultOf(await instance.root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  resultOf(await backend.submit(TYPE, await parameters()), KEY);

  const keys = newKeys();
  const users = [{ ...userWith('Clerk', [keys]), userTags: [] }];
  resultOf(await who.client.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  refused(await who.client.as(keys).submit(TYPE, await parameters()), denied);

  const stranger = await instance.newSubOrganization('Stranger', 1, 1);
  const elsewhere = stranger.clients[0]!.as(stranger.clients[0]!.keys, who.organizationId);
  refused(await elsewhere.submit(TYPE, await parameters()), [401, 'PUBLIC_KEY_NOT_FOUND', /could not find public key/]);
});

test('a session profile narrows the session, and must be there', async () => {
  const profile = { sessionProfileName: 'Wallets', scope: "activity.type == 'ACTIVITY_TYPE_CREATE_WALLET'" };
  const { sessionProfileId } = resultOf(
    await instance.root.submit('CREATE_SESSION_PROFILE', profile),
    'createSessionProfileResult',
  );
  const who = await person();
  const keys = newKeys();
  const { session } = resultOf(await who.parent.submit(TYPE, await login(who, keys, { sessionProfileId })), KEY);
  assert.equal(claimsOf(session).session_type, 'Wallets');
  await worksFor(who, keys);
  const tag = await who.client.as(keys).submit('CREATE_USER_TAG', { userTagName: 'Tag', userIds: [] });
  assert.equal(tag.status, 403, tag.text);
  refused(await who.parent.submit(TYPE, await login(who, newKeys(), { sessionProfileId: NOBODY })), [
    404,
    'UNSPECIFIED',
    /^session profile not found: parameters.sessionProfileId names/,
  ]);
});

test('the token is shown to its sender alone', async () => {
  const who = await person();
  const parameters = await login(who, newKeys());
  const { activity } = (await who.client.submit(TYPE, parameters)).body;
  assert.equal(activity.intent.oauthLoginIntent.oidcToken, parameters.oidcToken);
  const others = (await who.parent.query('get_activity', { activityId: activity.id })).body.activity;
  assert.equal(others.intent.oauthLoginIntent.oidcToken, '');
});

test('Google marks the user’s own email as verified, if it verified it itself', async (t) => {
  // No test can sign as Google. The verification of its tokens is tested beside it.
  const { oidc } = instance.engine;
  after(() => Object.assign(instance.engine, { oidc }));
  const google = { issuer: 'https://accounts.google.com', audience: 'client', subject: 'mail' };
  const verifies = (verifiedEmail: string | undefined) =>
    Object.assign(instance.engine, { oidc: { verify: async () => [{ ...google, verifiedEmail }] } });
  const made = await instance.newSubOrganization('Google', 1, 1);
  const [client, userId] = [made.clients[0]!, made.userIds[0]!];
  await client.submit('UPDATE_USER_EMAIL', { userId, userEmail: 'Me@example.com' });
  verifies(undefined);
  const oauthProviders = [{ providerName: 'Google', oidcToken: 'a.b.c' }];
  resultOf(await client.submit('CREATE_OAUTH_PROVIDERS_V2', { userId, oauthProviders }), 'createOauthProvidersResultV2');
  const logIn = async () => resultOf(await client.submit(TYPE, { oidcToken: 'a.b.c', publicKey: newKeys().publicKey }), KEY);
  for (const [email, verified] of [
    [undefined, false],
    ['other@example.com', false],
    ['me@EXAMPLE.com', true],
    [undefined, true],
  ] as const) {
    await t.test(`${email}`, async () => {
      verifies(email);
      await logIn();
      assert.equal((await marksOf(instance, userId)).email, verified);
    });
  }
  Object.assign(instance.engine, { oidc });
});

test('waits for the second root user, and logs the right one in', async () => {
  const pair = await pairWithAccount(instance, issuer, { sub: 'of a pair' });
  const keys = newKeys();
  const oidcToken = await issuer.signIn('of a pair', { nonce: nonceOf(keys.publicKey) });
  resultOf(await agreed(pair, TYPE, { oidcToken, publicKey: keys.publicKey }), KEY);
  assert.equal((await pair.clients[0].as(keys).query('whoami')).body.userId, pair.userIds[1]);
});

test('bad parameters are named', async () => {
  const pair = await newPair(instance, 'Bad parameters');
  const [client] = pair.clients;
  const sample = { oidcToken: 'a.b.c', publicKey: newKeys().publicKey };
  await refusesEach(client, TYPE, [
    [{ ...sample, expirationSeconds: '0' }, 'parameters.expirationSeconds', /invalid api key expiration/],
  ]);
  const who = await person();
  const oidcToken = issuer.signNow({ sub: await subOf(who), nonce: nonceOf('ab') });
  await refusesEach(who.client, TYPE, [[{ oidcToken, publicKey: 'ab' }, 'parameters.publicKey', /P-256 public key/]]);
});
