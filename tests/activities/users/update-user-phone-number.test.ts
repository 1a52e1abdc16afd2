import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKeys, resultOf, userWith } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { sharedPair } from '../support.ts';
import { marksOf, newToken } from '../tokens.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'UPDATE_USER_PHONE_NUMBER';
const KEY = 'updateUserPhoneNumberResult';
const { root } = instance;
const shown = async (userId: string) => (await root.query('get_user', { userId })).body.user;
const update = (userId: string, userPhoneNumber: string, verificationToken?: string) =>
  root.submit(TYPE, { userId, userPhoneNumber, ...(verificationToken !== undefined && { verificationToken }) });
const isVerified = async (userId: string) => (await marksOf(instance, userId)).phone;
const FIELD = 'parameters.verificationToken';
const wrong = (text: RegExp): [number, string, RegExp] => [400, 'REQUEST_INVALID', text];

test('another number in E.164, none, and nothing else changes', async () => {
  const { userId } = await instance.newUser('Phone');
  const before = await shown(userId);
  const answer = await update(userId, '+1 (415) 555-0101');
  assert.deepEqual(resultOf(answer, KEY), { userId });
  const intent = { userId, userPhoneNumber: '+1 (415) 555-0101' };
  assert.deepEqual(answer.body.activity.intent, { updateUserPhoneNumberIntent: intent });
  const after = await shown(userId);
  assert.deepEqual(after, { ...before, userPhoneNumber: '+14155550101', updatedAt: after.updatedAt });
  assert.equal(await isVerified(userId), false);
  resultOf(await update(userId, ''), KEY);
  assert.ok(!('userPhoneNumber' in (await shown(userId))));
});

test('with a token for it, a number is verified until it is another', async () => {
  const { userId } = await instance.newUser('Verified');
  for (const type of ['OTP_TYPE_SMS', 'OTP_TYPE_WHATSAPP'] as const) {
    resultOf(await update(userId, '+14155550102', newToken(instance, '+1 415 555 0102', newKeys(), { type }).jwt), KEY);
    assert.equal(await isVerified(userId), true);
    resultOf(await update(userId, '+1-415-555-0102'), KEY);
    assert.equal(await isVerified(userId), true, 'the same, written in another way');
    resultOf(await update(userId, '+14155550103'), KEY);
    assert.equal(await isVerified(userId), false);
  }
});

test('a token works once for each purpose, and for this number only', async () => {
  const [one, two] = [await instance.newUser('One'), await instance.newUser('Two')];
  const { jwt } = newToken(instance, '+14155550104', newKeys());
  refused(await update(one.userId, '+14155550105', jwt), wrong(/another contact/), FIELD);
  refused(await update(one.userId, '', jwt), wrong(/another contact/), FIELD);
  const mail = newToken(instance, 'a@b.c', newKeys()).jwt;
  refused(await update(one.userId, '+14155550104', mail), wrong(/another contact/), FIELD);
  const answers = await Promise.all([one, two].map(({ userId }) => update(userId, '+14155550104', jwt)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
  refused(await update(one.userId, '+14155550104', jwt), wrong(/was already used for this/), FIELD);
});

test('the last way in is not removed', async () => {
  const { clients } = await instance.newSubOrganization('Ways in', 1, 1);
  const users = [{ ...userWith('Phone', []), userTags: [], userPhoneNumber: '+14155550106' }];
  const [userId] = resultOf(await clients[0]!.submit('CREATE_USERS_V4', { users }), 'createUsersResult').userIds;
  const none = await clients[0]!.submit(TYPE, { userId, userPhoneNumber: '' });
  refused(none, wrong(/at least one valid credential/), 'parameters.userPhoneNumber');
  resultOf(await clients[0]!.submit(TYPE, { userId, userPhoneNumber: '+14155550107' }), KEY);
});

test('an unknown user, and a user of another organization', async () => {
  for (const id of [NOBODY, pair.outsiderId])
    refused(await update(id, '+14155550108'), [404, 'UNSPECIFIED', new RegExp(`user not found: parameters.userId names ${id}`)]);
});

test('bad parameters are named', () =>
  refusesEach(root, TYPE, [
    [{ userId: NOBODY, userPhoneNumber: '4155550110' }, 'parameters.userPhoneNumber', /E\.164/],
    [{ userId: NOBODY, userPhoneNumber: '+1415555' }, 'parameters.userPhoneNumber', /E\.164/],
    [{ userId: NOBODY, userPhoneNumber: '+14155550110', verificationToken: 'x' }, FIELD, /is not a verification token/],
  ]));
