import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { household, login, stampsAs } from '../../activities/otp/support.ts';
import { marksOf, newToken } from '../../activities/tokens.ts';
import { enabledProxy, type TestProxy } from '../../support/auth-proxy.ts';
import { type Answer, type Keys, newKeys } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';
import { newTopLevel } from '../../support/world/homes.ts';

const instance = await sharedInstance({ ALLOW_CREATE_ORGANIZATION: '1' });
const { root, clock } = instance;
let proxy: TestProxy;

before(async () => {
  proxy = await enabledProxy(root);
});

let people = 0;
const newContact = () => `login-${++people}@example.com`;
const ok = (answer: Answer) => {
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};

/** What a published client sends. */
function request(contact: string, session: Keys, more: object = {}) {
  const keys = newKeys();
  const { jwt } = newToken(instance, contact, keys);
  return login(jwt, keys, session, more);
}

async function verified(contact: string) {
  const made = await household(instance, { userEmail: contact });
  ok(await proxy.ask('otp_login_v2', request(contact, newKeys(), { organizationId: made.organizationId })));
  assert.equal((await marksOf(instance, made.userId)).email, true);
  return made;
}

test('a login in the named sub-organization marks the contact, and one without finds it by that', async () => {
  const contact = newContact();
  const { own, userId, organizationId } = await verified(contact);
  for (const more of [
    {},
    { organizationId },
    { organizationId: organizationId.toUpperCase() },
    { organizationId: root.organizationId },
  ]) {
    const session = newKeys();
    const answer = ok(await proxy.ask('otp_login_v2', request(contact.toUpperCase(), session, more)));
    assert.deepEqual(Object.keys(answer), ['session']);
    await stampsAs(own, session, userId);
  }
  clock.advance(901_000);
  const session = newKeys();
  await proxy.set({ sessionExpirationSeconds: 60 });
  ok(await proxy.ask('otp_login_v2', request(contact, session)));
  await stampsAs(own, session, userId);
  // A second more: the machine's clock may be set back meanwhile.
  clock.advance(61_000);
  assert.equal((await own.as(session).query('whoami')).status, 401);
  await proxy.set({ sessionExpirationSeconds: 900 });
});

test('by a token that is bound to no key', async () => {
  const contact = newContact();
  const { own, userId } = await verified(contact);
  const [session, { jwt: verificationToken }] = [newKeys(), newToken(instance, contact, undefined)];
  ok(await proxy.ask('otp_login', { verificationToken, publicKey: session.publicKey }));
  await stampsAs(own, session, userId);
  const again = { verificationToken: newToken(instance, contact, undefined).jwt, publicKey: session.publicKey };
  refused(await proxy.ask('otp_login_v2', again), [400, 'REQUEST_INVALID', /clientSignature/], 'clientSignature');
  refused(
    await proxy.ask('otp_login', { ...again, verificationToken }),
    [400, 'REQUEST_INVALID', /was already used for this/],
    'verificationToken',
  );
});

test('earlier sessions end if the client wants that', async () => {
  const contact = newContact();
  const { own, userId } = await verified(contact);
  const [first, second] = [newKeys(), newKeys()];
  ok(await proxy.ask('otp_login_v2', request(contact, first)));
  ok(await proxy.ask('otp_login_v2', request(contact, second, { invalidateExisting: true })));
  assert.equal((await own.as(first).query('whoami')).status, 401);
  await stampsAs(own, second, userId);
});

test('if no user verified the contact, a user who only has it is not found by it', async () => {
  const contact = newContact();
  await household(instance, { userEmail: contact });
  refused(await proxy.ask('otp_login_v2', request(contact, newKeys())), [
    403,
    'FORBIDDEN',
    /no user has verified the contact of this token: sign up first/,
  ]);
});

test('an organization of others is as unknown as one that is not there', async () => {
  const contact = newContact();
  const other = await newTopLevel(instance, 'Another house');
  const ask = (organizationId: string) => proxy.ask('otp_login_v2', request(contact, newKeys(), { organizationId }));
  const none = newUuid();
  const missing = await ask(none);
  refused(missing, [404, 'ORGANIZATION_NOT_FOUND', new RegExp(`^no organization found with the given ID: ${none}$`)]);
  const theirs = await ask(other.client.organizationId);
  assert.equal(theirs.text, missing.text.replaceAll(none, other.client.organizationId));
});

test('tokens that are none of this application', async () => {
  const contact = newContact();
  const { organizationId } = await verified(contact);
  const keys = newKeys();
  const wrong = (jwt: string, text: RegExp) =>
    proxy
      .ask('otp_login_v2', login(jwt, keys, newKeys(), { organizationId }))
      .then((answer) => refused(answer, [400, 'REQUEST_INVALID', text], 'verificationToken'));
  const { jwt } = newToken(instance, contact, keys);
  await wrong(`${jwt.slice(0, -4)}AAAA`, /is not a verification token/);
  await wrong(newToken(instance, contact, keys, { organizationId }).jwt, /is not a verification token of this application/);
  await wrong(newToken(instance, contact, keys, { expiresAt: clock.now() }).jwt, /has expired/);
  const other = newKeys();
  const answer = await proxy.ask('otp_login_v2', { ...login(jwt, other, newKeys()), organizationId });
  refused(answer, [400, 'REQUEST_INVALID', /clientSignature: is not a signature/], 'clientSignature');
  assert.ok(!answer.text.includes(jwt), 'no answer repeats a token');
});

test('a way that the application does not offer any more', async () => {
  const contact = newContact();
  await verified(contact);
  await proxy.set({ allowedAuthMethods: ['sms'] });
  refused(await proxy.ask('otp_login_v2', request(contact, newKeys())), [403, 'REQUEST_NOT_AUTHORIZED', /email is not among/]);
  await proxy.set({ allowedAuthMethods: ['email'] });
  ok(await proxy.ask('otp_login_v2', request(contact, newKeys())));
});

test('two applications: what is of one is nothing to the other', async () => {
  const contact = newContact();
  const { organizationId } = await verified(contact);
  const other = await newTopLevel(instance, 'The other application');
  const theirs = await enabledProxy(other.client);
  assert.notEqual(theirs.configId, proxy.configId);
  const keys = newKeys();
  const { jwt: verificationToken } = newToken(instance, contact, keys);
  const body = login(verificationToken, keys, newKeys());
  const NO_TOKEN = [400, 'REQUEST_INVALID', /is not a verification token/] as [number, string, RegExp];
  refused(await theirs.ask('otp_login_v2', body), NO_TOKEN, 'verificationToken');
  const person = { userEmail: contact, verificationToken, apiKeys: [], authenticators: [], oauthProviders: [] };
  refused(await theirs.ask('signup_v2', person), NO_TOKEN, 'verificationToken');
  assert.deepEqual((await theirs.ask('account', { filterType: 'EMAIL', filterValue: contact })).body, {});
  const own = newToken(instance, contact, keys, { organizationId: other.client.organizationId });
  const there = { ...login(own.jwt, keys, newKeys()), organizationId };
  refused(await theirs.ask('otp_login_v2', there), [404, 'ORGANIZATION_NOT_FOUND', /no organization found/]);
  refused(await theirs.ask('otp_login_v2', login(own.jwt, keys, newKeys())), [403, 'FORBIDDEN', /sign up first/]);
  ok(await proxy.ask('otp_login_v2', body));
});

const newUuid = () => crypto.randomUUID();
