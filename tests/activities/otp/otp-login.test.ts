import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifySessionJwtSignature } from '@turnkey/crypto';
import { newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedMail } from '../../support/mail.ts';
import { publishedKey } from '../../support/published.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { newPair } from '../support.ts';
import { clientSignature, marksOf, newToken } from '../tokens.ts';
import { claimsOf, household, initiateInTheClear, login, loginSignature, stampsAs, tokenFor } from './support.ts';

const mail = await sharedMail();
const instance = await sharedInstance(mail.env);
const pair = await newPair(instance, 'Pair');
const { root } = instance;
const TYPE = 'OTP_LOGIN_V2';
const KEY = 'otpLoginResult';
const NOBODY_TEXT = [403, 'FORBIDDEN', /^authentication failed: .*no user of this organization has the contact/] as [
  number,
  string,
  RegExp,
];

test('by the parent: a code to the parent’s contact, a token, and a session in the sub-organization that stamps', async () => {
  const { parent, userId, own } = await household(instance, { userEmail: 'Ada@example.com' });
  const [keys, session] = [newKeys(), newKeys()];
  const token = await tokenFor(root, mail, 'ADA@example.com', keys);
  assert.equal((await marksOf(instance, userId)).email, false);
  const answer = await parent.submit(TYPE, login(token, keys, session, { expirationSeconds: '600' }));
  const { session: jwt } = resultOf(answer, KEY);
  assert.equal(answer.body.activity.organizationId, own.organizationId);
  assert.ok(await verifySessionJwtSignature(jwt, await publishedKey(root.url, 'session-signer')));
  const { public_key, user_id, organization_id, session_type } = claimsOf(jwt);
  assert.deepEqual([public_key, user_id, organization_id], [session.publicKey, userId, own.organizationId]);
  assert.equal(session_type, 'SESSION_TYPE_READ_WRITE');
  await stampsAs(own, session, userId);
  assert.equal((await marksOf(instance, userId)).email, true);
  instance.clock.advance(600_000);
  assert.equal((await own.as(session).query('whoami')).status, 401);
});

test('by the sub-organization itself, with the whole flow there', async () => {
  const { own, userId } = await household(instance, { userEmail: 'own@example.com' });
  const [keys, session] = [newKeys(), newKeys()];
  const token = await tokenFor(own, mail, 'own@example.com', keys);
  resultOf(await own.submit(TYPE, login(token, keys, session)), KEY);
  await stampsAs(own, session, userId);
});

test('a token works once for a login, of many at once too, and its body is answered again', async () => {
  const { parent } = await household(instance, { userEmail: 'once@example.com' });
  const keys = newKeys();
  const { jwt } = newToken(instance, 'once@example.com', keys);
  const bodies = Array.from({ length: 6 }, () => parent.bodyOf(TYPE, login(jwt, keys, newKeys())));
  const answers = await Promise.all(bodies.map((body) => parent.send('/public/v1/submit/otp_login', body)));
  const winners = answers.filter(({ status }) => status === 200);
  assert.equal(winners.length, 1);
  for (const answer of answers.filter(({ status }) => status !== 200))
    refused(answer, [400, 'REQUEST_INVALID', /was already used for this/], 'parameters.verificationToken');
  const won = answers.findIndex(({ status }) => status === 200);
  assert.deepEqual((await parent.send('/public/v1/submit/otp_login', bodies[won]!)).body, winners[0]!.body);
});

test('the user who verified the contact comes first; if several did, none is logged in', async () => {
  const { parent, userId } = await household(instance, { userEmail: 'shared@example.com' });
  const users = [{ ...userWith('Second', [newKeys()]), userEmail: 'shared@example.com', userTags: [] }];
  const { own } = await household(instance, {});
  const add = async (client: typeof own) =>
    resultOf(await client.submit('CREATE_USERS_V4', { users }), 'createUsersResult').userIds[0];
  const keys = newKeys();
  const logIn = async (client: typeof own) => {
    const session = newKeys();
    const { jwt } = newToken(instance, 'shared@example.com', keys);
    return { session, answer: await client.submit(TYPE, login(jwt, keys, session)) };
  };
  resultOf((await logIn(parent)).answer, KEY);
  assert.equal((await marksOf(instance, userId)).email, true);
  const other = await household(instance, { userEmail: 'shared@example.com' });
  await add(other.own);
  refused((await logIn(other.parent)).answer, NOBODY_TEXT);
  const nobody = await household(instance, { userEmail: 'somebody@example.com' });
  const { answer } = await logIn(nobody.parent);
  refused(answer, NOBODY_TEXT);
  const first = await household(instance, { userEmail: 'shared@example.com' });
  const one = await logIn(first.parent);
  resultOf(one.answer, KEY);
  await add(first.own);
  const again = await logIn(first.parent);
  resultOf(again.answer, KEY);
  await stampsAs(first.own, again.session, first.userId);
});

test('a refused login leaves the token as it was', async () => {
  const { parent, own, userId } = await household(instance, {});
  const keys = newKeys();
  const { jwt } = newToken(instance, 'later@example.com', keys);
  refused(await parent.submit(TYPE, login(jwt, keys, newKeys())), NOBODY_TEXT);
  resultOf(await own.submit('UPDATE_USER_EMAIL', { userId, userEmail: 'later@example.com' }), 'updateUserEmailResult');
  const session = newKeys();
  resultOf(await parent.submit(TYPE, login(jwt, keys, session)), KEY);
  await stampsAs(own, session, userId);
});

test('invalidateExisting ends the other sessions of the user', async () => {
  const { parent, own, userId } = await household(instance, { userEmail: 'fresh@example.com' });
  const keys = newKeys();
  const sessions = [newKeys(), newKeys(), newKeys()];
  for (const [i, session] of sessions.entries()) {
    const { jwt } = newToken(instance, 'fresh@example.com', keys);
    resultOf(await parent.submit(TYPE, login(jwt, keys, session, { invalidateExisting: i === 2 })), KEY);
  }
  for (const session of sessions.slice(0, 2)) assert.equal((await own.as(session).query('whoami')).status, 401);
  await stampsAs(own, sessions[2]!, userId);
});

test('the signature is of the token’s key, for this token, this use and this key', async () => {
  const { parent } = await household(instance, { userEmail: 'signed@example.com' });
  const [keys, session] = [newKeys(), newKeys()];
  const { jwt, token } = newToken(instance, 'signed@example.com', keys);
  const good = login(jwt, keys, session);
  const message = (more: object) =>
    clientSignature(
      keys,
      JSON.stringify({ login: { publicKey: session.publicKey }, tokenId: token.id, type: 'USAGE_TYPE_LOGIN', ...more }),
    );
  const AT = 'parameters.clientSignature';
  await refusesEach(parent, TYPE, [
    [{ ...good, clientSignature: undefined }, AT, /./],
    [{ ...good, clientSignature: loginSignature(newKeys(), jwt, session.publicKey) }, AT, /not a signature of the message/],
    [{ ...good, clientSignature: { ...good.clientSignature, signature: '00'.repeat(64) } }, AT, /not a signature of the message/],
    [
      { ...good, clientSignature: message({ tokenId: newToken(instance, 'a@example.com', keys).token.id }) },
      `${AT}.message`,
      /this token/,
    ],
    [
      { ...good, clientSignature: message({ type: 'USAGE_TYPE_SIGNUP', login: undefined, signupV2: {} }) },
      `${AT}.message`,
      /for a login with this token/,
    ],
    [{ ...good, clientSignature: message({ login: { publicKey: keys.publicKey } }) }, `${AT}.message`, /same publicKey/],
    [
      { ...good, clientSignature: message({ login: { publicKey: session.publicKey, more: 1 } }) },
      `${AT}.message`,
      /same publicKey/,
    ],
    [{ ...good, publicKey: newKeys().publicKey }, `${AT}.message`, /same publicKey/],
  ]);
  const unbound = newToken(instance, 'signed@example.com', undefined);
  const withSignature = { ...login(unbound.jwt, keys, session) };
  refused(await parent.submit(TYPE, withSignature), [400, 'REQUEST_INVALID', /not bound to a key/], AT);
  resultOf(await parent.submit(TYPE, good), KEY);
});

test('the first version takes tokens that are bound to no key, and asks for the signature of those that are', async () => {
  const { parent, own, userId } = await household(instance, { userEmail: 'legacy@example.com' });
  const otpId = await initiateInTheClear(root, 'legacy@example.com');
  const verified = await root.submit('VERIFY_OTP', { otpId, otpCode: await mail.nextCode('legacy@example.com') });
  const { verificationToken } = resultOf(verified, 'verifyOtpResult');
  const session = newKeys();
  resultOf(await parent.submit('OTP_LOGIN', { verificationToken, publicKey: session.publicKey }), KEY);
  await stampsAs(own, session, userId);
  const keys = newKeys();
  const bound = newToken(instance, 'legacy@example.com', keys, { kind: 'legacy' });
  const { clientSignature: signature, ...unsigned } = login(bound.jwt, keys, newKeys());
  refused(
    await parent.submit('OTP_LOGIN', unsigned),
    [400, 'REQUEST_INVALID', /is required: the token is bound to a key/],
    'parameters.clientSignature',
  );
  resultOf(await parent.submit('OTP_LOGIN', { ...unsigned, clientSignature: signature }), KEY);
});

test('tokens of others, expired or wrong ones, and features that are off', async () => {
  const { parent, own } = await household(instance, { userEmail: 'scope@example.com' });
  const beside = await household(instance, { userEmail: 'scope@example.com' });
  const keys = newKeys();
  const with_ = (more: object) => login(newToken(instance, 'scope@example.com', keys, more).jwt, keys, newKeys());
  const AT = 'parameters.verificationToken';
  await refusesEach(parent, TYPE, [
    [with_({ organizationId: beside.organizationId }), AT, /not a verification token of this organization/],
    [with_({ expiresAt: instance.clock.now() }), AT, /expired/],
    [{ ...with_({}), verificationToken: 'a.b.c' }, AT, /not a verification token/],
    [{ ...with_({}), verificationToken: '' }, AT, /./],
    [{ ...with_({}), publicKey: 'x' }, 'parameters.clientSignature.message', /same publicKey/],
    [{ ...with_({}), expirationSeconds: '0' }, 'parameters.expirationSeconds', /./],
  ]);
  resultOf(
    await own.submit('REMOVE_ORGANIZATION_FEATURE', { name: 'FEATURE_NAME_OTP_EMAIL_AUTH' }),
    'removeOrganizationFeatureResult',
  );
  refused(await parent.submit(TYPE, with_({})), [403, 'REQUEST_NOT_AUTHORIZED', /FEATURE_NAME_OTP_EMAIL_AUTH is off/]);
});

test('with the second root user’s approval it logs in, and the token is shown to its sender alone', async () => {
  const keys = newKeys();
  const { jwt } = newToken(instance, 'pair@example.com', keys, { organizationId: pair.organizationId });
  const [first] = pair.clients;
  const users = [{ ...userWith('Mailed', [newKeys()]), userEmail: 'pair@example.com', userTags: [] }];
  const body = first.bodyOf('CREATE_USERS_V4', { users });
  for (const client of pair.clients) await client.send('/public/v1/submit/create_users', body);
  const session = newKeys();
  const parameters = login(jwt, keys, session);
  const waiting = await first.submit(TYPE, parameters);
  assert.equal(waiting.body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', waiting.text);
  const { fingerprint } = waiting.body.activity;
  const approved = await pair.clients[1]!.submit('APPROVE_ACTIVITY', { fingerprint });
  assert.equal(approved.body.activity.status, 'ACTIVITY_STATUS_COMPLETED', approved.text);
  assert.equal((await first.as(session).query('whoami')).status, 200);
  assert.equal(approved.body.activity.intent.otpLoginIntentV2.verificationToken, '', 'shown to its sender alone');
});
