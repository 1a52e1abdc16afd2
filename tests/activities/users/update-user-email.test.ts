import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPolicy } from '../../e2e/authority.ts';
import { newKeys, resultOf, userWith } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import { HOUR, marksOf, newToken } from '../tokens.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'UPDATE_USER_EMAIL';
const KEY = 'updateUserEmailResult';
const { root } = instance;
const shown = async (userId: string) => (await root.query('get_user', { userId })).body.user;
const update = (userId: string, userEmail: string, verificationToken?: string) =>
  root.submit(TYPE, { userId, userEmail, ...(verificationToken !== undefined && { verificationToken }) });
const isVerified = async (userId: string) => (await marksOf(instance, userId)).email;
const FIELD = 'parameters.verificationToken';
const wrong = (text: RegExp): [number, string, RegExp] => [400, 'REQUEST_INVALID', text];

test('another email, none, and nothing else changes', async () => {
  const { userId } = await instance.newUser('Mail');
  const before = await shown(userId);
  const answer = await update(userId.toUpperCase(), 'New@Example.com');
  assert.deepEqual(resultOf(answer, KEY), { userId });
  assert.deepEqual(answer.body.activity.intent, { updateUserEmailIntent: { userId, userEmail: 'New@Example.com' } });
  const after = await shown(userId);
  assert.deepEqual(after, { ...before, userEmail: 'New@Example.com', updatedAt: after.updatedAt });
  assert.equal(await isVerified(userId), false);
  resultOf(await update(userId, ''), KEY);
  assert.ok(!('userEmail' in (await shown(userId))));
});

test('with a token for it, an email is verified until it is another', async () => {
  const { userId } = await instance.newUser('Verified');
  const { jwt } = newToken(instance, 'ADA@Example.com', newKeys());
  const answer = await update(userId, 'Ada@example.com', jwt);
  resultOf(answer, KEY);
  assert.equal(answer.body.activity.intent.updateUserEmailIntent.verificationToken, jwt);
  assert.deepEqual([await isVerified(userId), (await shown(userId)).userEmail], [true, 'Ada@example.com']);
  resultOf(await update(userId, 'ada@EXAMPLE.com'), KEY);
  assert.equal(await isVerified(userId), true, 'the same, in other letters');
  resultOf(await update(userId, 'other@example.com'), KEY);
  assert.equal(await isVerified(userId), false);
  for (const keys of [undefined, newKeys()]) {
    const again = newToken(instance, 'other@example.com', keys, { kind: 'legacy' });
    resultOf(await update(userId, 'other@example.com', again.jwt), KEY);
    assert.equal(await isVerified(userId), true);
    resultOf(await update(userId, ''), KEY);
    assert.equal(await isVerified(userId), false);
  }
  resultOf(await update(userId, 'plain@example.com', ''), KEY);
  assert.equal(await isVerified(userId), false, 'an empty token is none');
});

test('a parent finds the sub-organization by the verified email', async () => {
  const { clients, userIds, organizationId } = await instance.newSubOrganization('Found', 1, 1);
  const found = async (by: 'EMAIL' | 'VERIFIED_EMAIL') =>
    instance.engine.store.read.organizations.subOrganizationIds(
      root.organizationId,
      { by, values: ['found@example.com'] },
      { limit: 10 },
    );
  const change = (more: object) => clients[0]!.submit(TYPE, { userId: userIds[0], userEmail: 'Found@example.com', ...more });
  resultOf(await change({}), KEY);
  assert.deepEqual([await found('EMAIL'), await found('VERIFIED_EMAIL')], [[organizationId], []]);
  resultOf(await change({ verificationToken: newToken(instance, 'found@example.com', newKeys()).jwt }), KEY);
  assert.deepEqual([await found('EMAIL'), await found('VERIFIED_EMAIL')], [[organizationId], [organizationId]]);
});

test('a token works once, also for the same user, and for two at once', async () => {
  const [one, two] = [await instance.newUser('One'), await instance.newUser('Two')];
  const { jwt } = newToken(instance, 'once@example.com', newKeys());
  resultOf(await update(one.userId, 'once@example.com', jwt), KEY);
  for (const { userId } of [one, two])
    refused(await update(userId, 'once@example.com', jwt), wrong(/was already used for this/), FIELD);
  assert.equal(await isVerified(two.userId), false);
  for (let round = 0; round < 5; round++) {
    for (const { userId } of [one, two]) resultOf(await update(userId, ''), KEY);
    const email = `race${round}@example.com`;
    const token = newToken(instance, email, newKeys()).jwt;
    const answers = await Promise.all([one, two].map(({ userId }) => update(userId, email, token)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400], JSON.stringify(answers.map(({ text }) => text)));
    const marks = await Promise.all([one, two].map(({ userId }) => isVerified(userId)));
    assert.deepEqual(
      marks,
      answers.map(({ status }) => status === 200),
    );
  }
});

test('a failed activity uses no token', async () => {
  const { userId } = await instance.newUser('Later');
  const { jwt } = newToken(instance, 'later@example.com', newKeys());
  refused(await update(NOBODY, 'later@example.com', jwt), [404, 'UNSPECIFIED', /user not found/]);
  resultOf(await update(userId, 'later@example.com', jwt), KEY);
  assert.equal(await isVerified(userId), true);
});

test('a token of the parent works in its sub-organizations; one of a sub-organization only there', async () => {
  const [here, there] = [await instance.newSubOrganization('Here', 1, 1), await instance.newSubOrganization('There', 1, 1)];
  const change = ({ clients, userIds }: typeof here, verificationToken: string) =>
    clients[0]!.submit(TYPE, { userId: userIds[0], userEmail: 'scope@example.com', verificationToken });
  const token = (organizationId: string) => newToken(instance, 'scope@example.com', newKeys(), { organizationId }).jwt;
  resultOf(await change(here, token(root.organizationId)), KEY);
  const own = token(here.organizationId);
  const elsewhere = wrong(/is not a verification token of this organization or of its parent/);
  refused(await change(there, own), elsewhere, FIELD);
  refused(await update(instance.credentials.userId, 'scope@example.com', own), elsewhere, FIELD);
  refused(await change(there, token(NOBODY)), elsewhere, FIELD);
  resultOf(await change(here, own), KEY);
});

test('tokens that are expired, for another contact, or of another service', async () => {
  const { userId } = await instance.newUser('Refused');
  const email = 'refused@example.com';
  const refuses = async (jwt: string, text: RegExp, to = email) => refused(await update(userId, to, jwt), wrong(text), FIELD);
  await refuses(newToken(instance, email, newKeys(), { expiresAt: instance.clock.now() }).jwt, /has expired/);
  const late = newToken(instance, email, newKeys()).jwt;
  instance.clock.advance(HOUR + 1_000);
  await refuses(late, /has expired/);
  await refuses(newToken(instance, 'someone@example.com', newKeys()).jwt, /another contact/);
  await refuses(newToken(instance, '+14155550100', newKeys()).jwt, /another contact/);
  await refuses(newToken(instance, email, newKeys(), { type: 'OTP_TYPE_SMS' }).jwt, /another contact/);
  await refuses(newToken(instance, email, newKeys()).jwt, /another contact/, '');
  const { jwt } = newToken(instance, email, newKeys());
  for (const none of ['x', `${jwt}x.`, jwt.slice(0, -8), jwt.split('.').slice(0, 2).join('.')])
    await refuses(none, /is not a verification token/);
  const [header, payload, signature] = jwt.split('.');
  const claims = Buffer.from(payload!, 'base64url').toString().replace('refused@', 'stolen@');
  await refuses(
    `${header}.${Buffer.from(claims).toString('base64url')}.${signature}`,
    /is not a verification token/,
    'stolen@example.com',
  );
  assert.ok(!('userEmail' in (await shown(userId))));
});

test('the last way in is not removed', async () => {
  const { clients } = await instance.newSubOrganization('Ways in', 1, 1);
  const users = [{ ...userWith('Mail', []), userTags: [], userEmail: 'a@b.c' }];
  const [userId] = resultOf(await clients[0]!.submit('CREATE_USERS_V4', { users }), 'createUsersResult').userIds;
  const none = await clients[0]!.submit(TYPE, { userId, userEmail: '' });
  refused(none, wrong(/at least one valid credential/), 'parameters.userEmail');
  resultOf(await clients[0]!.submit(TYPE, { userId, userEmail: 'd@e.f' }), KEY);
});

test('a policy that names the email applies no more once it is another', async () => {
  const { client, userId } = await instance.newUser('Named', { userEmail: 'named@example.com' });
  await newPolicy(root, { consensus: `approvers.any(u, u.email == 'named@example.com')` });
  const create = () => client.submit('CREATE_WALLET', { walletName: `W ${Math.random()}`, accounts: [] });
  resultOf(await create(), 'createWalletResult');
  resultOf(await update(userId, 'renamed@example.com'), KEY);
  assert.equal((await create()).status, 403);
});

test('an unknown user, and a user of another organization', async () => {
  for (const id of [NOBODY, pair.outsiderId])
    refused(await update(id, 'a@b.c'), [404, 'UNSPECIFIED', new RegExp(`user not found: parameters.userId names ${id}`)]);
});

test('a user without permission is refused, for themselves too', async () => {
  const { client, userId } = await instance.newUser('Plain');
  await refusedToNobody(instance, TYPE, { userId, userEmail: 'a@b.c' });
  refused(await client.submit(TYPE, { userId, userEmail: 'a@b.c' }), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
});

test('bad parameters are named', () =>
  refusesEach(root, TYPE, [
    [{ userId: NOBODY, userEmail: 'a b@c.d' }, 'parameters.userEmail', /invalid email address/, 'INVALID_EMAIL'],
    [{ userId: NOBODY, userEmail: 'a@b.c', verificationToken: 'x'.repeat(9_000) }, FIELD, /8192/],
  ]));

test('waits for the second root user; a token is judged and used when it is done', async () => {
  const verificationToken = newToken(instance, 'agreed@example.com', newKeys()).jwt;
  await waitsForBoth(pair, TYPE, { userId: pair.outsiderId, userEmail: 'agreed@example.com', verificationToken }, KEY);
  assert.equal(await isVerified(pair.outsiderId), true);
});
