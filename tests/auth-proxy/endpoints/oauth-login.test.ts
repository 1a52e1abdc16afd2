import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { household, stampsAs } from '../../activities/otp/support.ts';
import { enabledProxy, type TestProxy } from '../../support/auth-proxy.ts';
import { type Answer, newKeys } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedIssuer } from '../../support/oidc.ts';
import { nonceOf } from '../../support/published.ts';
import { refused } from '../../support/refusals.ts';

const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance(env);
const { root, engine } = instance;
let proxy: TestProxy;

before(async () => {
  proxy = await enabledProxy(root);
});

const NONE = { apiKeys: [], authenticators: [], oauthProviders: [] };
const ok = (answer: Answer) => {
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
let people = 0;
const newSubject = () => `subject ${++people}`;

/** As a page does: a key, and a token whose nonce is its hash. */
function signedIn(sub: string, more: object = {}) {
  const keys = newKeys();
  return {
    keys,
    sent: { oidcToken: issuer.signNow({ sub, nonce: nonceOf(keys.publicKey) }), publicKey: keys.publicKey, ...more },
  };
}

async function signUp(sub: string) {
  const oauthProviders = [{ providerName: 'Issuer', oidcToken: issuer.signNow({ sub }) }];
  const made = ok(await proxy.ask('signup_v2', { ...NONE, oauthProviders }));
  return { ...made, own: root.as(root.keys, made.organizationId) };
}

test('the token says which sub-organization; it may be named too', async () => {
  const sub = newSubject();
  const { organizationId, userId, own } = await signUp(sub);
  for (const more of [{}, { organizationId }, { organizationId: root.organizationId }]) {
    const { keys, sent } = signedIn(sub, more);
    assert.deepEqual(Object.keys(ok(await proxy.ask('oauth_login', sent))), ['session']);
    await stampsAs(own, keys, userId);
  }
});

test('a person without an account, or without one in this organization, is not logged in', async () => {
  const sub = newSubject();
  refused(await proxy.ask('oauth_login', signedIn(sub).sent), [403, 'FORBIDDEN', /sign up first/]);
  const { organizationId } = await signUp(newSubject());
  refused(await proxy.ask('oauth_login', signedIn(sub, { organizationId }).sent), [403, 'FORBIDDEN', /authentication failed/]);
  refused(await proxy.ask('oauth_login', signedIn(sub, { organizationId: crypto.randomUUID() }).sent), [
    404,
    'ORGANIZATION_NOT_FOUND',
    /no organization found/,
  ]);
});

test('a token for another key, an expired one, and none', async () => {
  const sub = newSubject();
  await signUp(sub);
  const { sent } = signedIn(sub);
  const other = { ...sent, publicKey: newKeys().publicKey };
  refused(await proxy.ask('oauth_login', other), [400, 'INVALID_OIDC_TOKEN', /oidcToken/], 'oidcToken');
  const expired = { ...sent, oidcToken: issuer.signNow({ sub, exp: 1 }) };
  refused(await proxy.ask('oauth_login', expired), [400, 'INVALID_OIDC_TOKEN', /has expired/], 'oidcToken');
  refused(await proxy.ask('oauth_login', { publicKey: sent.publicKey }), [400, 'REQUEST_INVALID', /oidcToken/], 'oidcToken');
  ok(await proxy.ask('oauth_login', sent));
});

test('a way that the application does not offer', async () => {
  const sub = newSubject();
  await signUp(sub);
  await proxy.set({ allowedAuthMethods: ['google'] });
  refused(await proxy.ask('oauth_login', signedIn(sub).sent), [
    403,
    'REQUEST_NOT_AUTHORIZED',
    /^OAUTH disallowed: oidc is not among/,
  ]);
  await proxy.set({ allowedAuthMethods: ['oidc', 'google', 'email'] });
  ok(await proxy.ask('oauth_login', signedIn(sub).sent));
});

/** Google cannot be asked from a test: what it says of a token is replaced, and nothing else. */
test('social linking', async (t) => {
  const { oidc } = engine;
  const google = { issuer: 'https://accounts.google.com', audience: 'our client', subject: 'g' };
  let says: { subject: string; audience: string; verifiedEmail: string | undefined };
  const verify = async () => [{ ...google, ...says }];
  Object.assign(engine, { oidc: { ...oidc, verify, claimed: () => ({ ...google, ...says }) } });
  t.after(() => Object.assign(engine, { oidc }));
  await proxy.set({ socialLinkingClientIds: ['our client'] });

  const markVerified = (organizationId: string) =>
    instance.raw(
      'UPDATE users SET email_verified = 1, verified_email_key = email_key WHERE organization_id = $1',
      organizationId,
    );
  const withEmail = async (userEmail: string, isVerified: boolean) => {
    const made = await household(instance, { userEmail });
    if (isVerified) await markVerified(made.organizationId);
    const providers = async () => (await made.own.query('get_oauth_providers', { userId: made.userId })).body.oauthProviders;
    return { ...made, providers };
  };
  const login = () => ({ oidcToken: 'a token of Google', publicKey: newKeys().publicKey });

  await t.test('a login adds the account of the same verified email', async () => {
    const ada = await withEmail('ada@gmail.com', true);
    says = { subject: 'ada', audience: 'our client', verifiedEmail: 'Ada@gmail.com' };
    const keys = newKeys();
    ok(await proxy.ask('oauth_login', { ...login(), publicKey: keys.publicKey }));
    await stampsAs(ada.own, keys, ada.userId);
    const [provider, ...more] = await ada.providers();
    assert.deepEqual([provider.providerName, provider.subject, provider.audience, more], ['Google', 'ada', 'our client', []]);
    const { activities } = (await ada.own.query('list_activities', { filterByType: ['ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2'] }))
      .body;
    assert.deepEqual([activities.length, activities[0].votes[0].userId], [1, proxy.userId]);
    ok(await proxy.ask('oauth_login', login()));
    assert.equal((await ada.providers()).length, 1);
  });

  await t.test('so does the look-up that published clients make before they log in', async () => {
    const bob = await withEmail('bob@gmail.com', true);
    says = { subject: 'bob', audience: 'our client', verifiedEmail: 'bob@gmail.com' };
    const lookup = { filterType: 'OIDC_TOKEN', filterValue: 'a token of Google' };
    const answers = await Promise.all([0, 1, 2].map(() => proxy.ask('account', lookup)));
    for (const answer of answers) assert.equal(ok(answer).organizationId, bob.organizationId);
    assert.equal((await bob.providers()).length, 1);
  });

  await t.test('an email that nobody verified is not linked: somebody may have signed up with it', async () => {
    const eve = await withEmail('victim@gmail.com', false);
    says = { subject: 'victim', audience: 'our client', verifiedEmail: 'victim@gmail.com' };
    refused(await proxy.ask('oauth_login', login()), [403, 'FORBIDDEN', /sign up first/]);
    refused(await proxy.ask('oauth_login', { ...login(), organizationId: eve.organizationId }), [403, 'FORBIDDEN', /./]);
    assert.deepEqual(await eve.providers(), []);
  });

  await t.test('nor is an account of another application, or of another email', async () => {
    const cleo = await withEmail('cleo@gmail.com', true);
    for (const wrong of [
      { subject: 'cleo', audience: 'their client', verifiedEmail: 'cleo@gmail.com' },
      { subject: 'cleo', audience: 'our client', verifiedEmail: 'other@gmail.com' },
      { subject: 'cleo', audience: 'our client', verifiedEmail: undefined },
    ]) {
      says = wrong;
      for (const more of [{}, { organizationId: cleo.organizationId }])
        refused(await proxy.ask('oauth_login', { ...login(), ...more }), [403, 'FORBIDDEN', /./]);
    }
    assert.deepEqual(await cleo.providers(), []);
  });

  await t.test('the activity refuses it by itself, whatever the proxy asks for', async () => {
    const { findConfig } = await import('../../../src/auth-proxy/find-config.ts');
    const { proxySubmit } = await import('../../../src/auth-proxy/submit.ts');
    const enabled = (await findConfig(engine, proxy.configId))!;
    const dora = await withEmail('dora@gmail.com', false);
    says = { subject: 'dora', audience: 'our client', verifiedEmail: 'dora@gmail.com' };
    const TYPE = 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2';
    const wish = { userId: dora.userId, oauthProviders: [{ providerName: 'G', oidcToken: 'token' }] };
    await assert.rejects(proxySubmit(engine, enabled, TYPE, wish, dora.organizationId), { code: 'INVALID_OIDC_TOKEN' });
    const claims = { ...wish, oauthProviders: [{ providerName: 'G', oidcClaims: { iss: 'i', sub: 's', aud: 'our client' } }] };
    await markVerified(dora.organizationId);
    await assert.rejects(proxySubmit(engine, enabled, TYPE, claims, dora.organizationId), { code: 'INVALID_OIDC_TOKEN' });
    const own = { ...wish, userId: instance.credentials.userId };
    await assert.rejects(proxySubmit(engine, enabled, TYPE, own), { code: 'REQUEST_NOT_AUTHORIZED' });
    assert.deepEqual(await dora.providers(), []);
    const { client } = await instance.newUser('Somebody of the parent');
    const answer = await client.as(root.keys, dora.organizationId).submit('CREATE_OAUTH_PROVIDERS_V2', wish);
    refused(answer, [400, 'ORGANIZATION_MISMATCH', /organization mismatch/]);
  });
});
