import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Keys, resultOf, submitPath } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedIssuer } from '../../support/oidc.ts';
import { keysIn, newTarget, nonceOf, type Target } from '../../support/published.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { agreed } from '../support.ts';
import { badTokens, loginKeys, newPerson, type Person, pairWithAccount, worksFor } from './support.ts';

const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance(env);

const TYPE = 'OAUTH';
const KEY = 'oauthResult';

let people = 0;
const newSub = () => `legacy ${++people}`;

const login = async (sub: string, { publicKeyUncompressed: targetPublicKey }: Target, more: object = {}) => ({
  oidcToken: await issuer.signIn(sub, { nonce: nonceOf(targetPublicKey) }),
  targetPublicKey,
  ...more,
});

async function newLogin(who: Person, sub: string, more: object = {}): Promise<{ keys: Keys; apiKeyId: string }> {
  const target = newTarget();
  const { userId, apiKeyId, credentialBundle } = resultOf(await who.parent.submit(TYPE, await login(sub, target, more)), KEY);
  assert.equal(userId, who.userId);
  return { keys: keysIn(credentialBundle, target), apiKeyId };
}

test('the bundle holds a key that stamps requests of the user, for fifteen minutes', async () => {
  const sub = newSub();
  const who = await newPerson(instance, issuer, { sub });
  const { keys, apiKeyId } = await newLogin(who, sub);
  await worksFor(who, keys);
  const [key, ...more] = (await loginKeys(who)) as unknown as Record<string, unknown>[];
  assert.equal(more.length, 0);
  assert.equal(key!.apiKeyId, apiKeyId);
  assert.match(key!.apiKeyName as string, /^Oauth - \d{10}$/);
  assert.equal(key!.expirationSeconds, '900');
  assert.deepEqual(key!.credential, { publicKey: keys.publicKey, type: 'CREDENTIAL_TYPE_OAUTH_KEY_P256' });
  instance.clock.advance(901_000);
  refused(await who.client.as(keys).query('whoami'), [401, 'API_KEY_EXPIRED', /expired api key/]);
});

test('a name and a lifetime of its own, and the other logins of the kind invalidated', async () => {
  const sub = newSub();
  const who = await newPerson(instance, issuer, { sub });
  const first = await newLogin(who, sub);
  const second = await newLogin(who, sub, { apiKeyName: 'Mine', expirationSeconds: '60', invalidateExisting: true });
  const names = (await loginKeys(who)).map(({ apiKeyName }) => apiKeyName);
  assert.deepEqual(names, ['Mine']);
  refused(await who.client.as(first.keys).query('whoami'), [401, 'PUBLIC_KEY_NOT_FOUND', /could not find/]);
  await worksFor(who, second.keys);
});

test('the same body has the same bundle; the token gives nothing to whoever has another key', async () => {
  const sub = newSub();
  const who = await newPerson(instance, issuer, { sub });
  const target = newTarget();
  const parameters = await login(sub, target);
  const body = who.parent.bodyOf(TYPE, parameters);
  const answers = [];
  for (let i = 0; i < 2; i++) answers.push(resultOf(await who.parent.send(submitPath(TYPE), body), KEY));
  assert.deepEqual(answers[0], answers[1]);
  assert.equal((await loginKeys(who)).length, 1);
  const targetPublicKey = newTarget().publicKeyUncompressed;
  const thief = await who.parent.submit(TYPE, { ...parameters, targetPublicKey });
  refused(thief, [400, 'INVALID_OIDC_TOKEN', /its nonce must be/], 'parameters.oidcToken');
});

test('tokens that log nobody in, and leave nothing', async (t) => {
  const sub = newSub();
  const who = await newPerson(instance, issuer, { sub });
  const targetPublicKey = newTarget().publicKeyUncompressed;
  for (const [name, oidcToken, [code, text]] of badTokens(issuer, sub, targetPublicKey))
    await t.test(name, async () => {
      const answer = await who.client.submit(TYPE, { oidcToken, targetPublicKey });
      refused(answer, [code === 'FORBIDDEN' ? 403 : 400, code, text]);
      assert.ok(!answer.text.includes(oidcToken));
    });
  assert.deepEqual(await loginKeys(who), []);
});

test('the token is shown to its sender alone', async () => {
  const sub = newSub();
  const who = await newPerson(instance, issuer, { sub });
  const parameters = await login(sub, newTarget());
  const { activity } = (await who.client.submit(TYPE, parameters)).body;
  const seen = (await who.parent.query('get_activity', { activityId: activity.id })).body.activity;
  assert.deepEqual([activity.intent.oauthIntent.oidcToken, seen.intent.oauthIntent.oidcToken], [parameters.oidcToken, '']);
});

const sample = { oidcToken: 'a.b.c', targetPublicKey: newTarget().publicKeyUncompressed };

test('a login to a top-level organization is refused', async () => {
  const text = /OAUTH disallowed: only users of sub-organizations/;
  refused(await instance.root.submit(TYPE, sample), [400, 'REQUEST_INVALID', text], 'organizationId');
});

test('with the second root user’s approval it logs in the one whose account it is', async () => {
  const sub = newSub();
  const pair = await pairWithAccount(instance, issuer, { sub });
  const target = newTarget();
  const { userId, credentialBundle } = resultOf(await agreed(pair, TYPE, await login(sub, target)), KEY);
  assert.equal(userId, pair.userIds[1]);
  const keys = keysIn(credentialBundle, target);
  assert.equal((await pair.clients[0].as(keys).query('whoami')).body.userId, userId);
});

test('bad parameters are named', async () => {
  const sub = newSub();
  const { client } = await newPerson(instance, issuer, { sub });
  const notOnCurve = `02${'ff'.repeat(32)}`;
  await refusesEach(client, TYPE, [
    [{ ...sample, targetPublicKey: 'ab'.repeat(66) }, 'parameters.targetPublicKey', /P-256 public key in hex/],
    [{ ...sample, expirationSeconds: '-1' }, 'parameters.expirationSeconds', /invalid api key expiration/],
    [
      { oidcToken: issuer.signNow({ sub, nonce: nonceOf(notOnCurve) }), targetPublicKey: notOnCurve },
      'parameters.targetPublicKey',
      /must be a P-256 public key/,
    ],
  ]);
});
