import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedMail } from '../../support/mail.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { newPair, refusedToNobody, waitsForBoth } from '../support.ts';
import { ask, household, invalidCode } from './support.ts';

const mail = await sharedMail();
const instance = await sharedInstance(mail.env);
const pair = await newPair(instance, 'Pair');
const { root } = instance;
const FIELD = 'parameters.otpCode';

test('each version of INIT_OTP_AUTH, in its own shape', async () => {
  const { parent } = await household(instance, { userEmail: 'versions@example.com' });
  const about = { otpType: 'OTP_TYPE_EMAIL', contact: 'versions@example.com' };
  const v1 = resultOf(await parent.submit('INIT_OTP_AUTH', about), 'initOtpAuthResult');
  assert.match(await mail.nextCode('versions@example.com'), /^\w{9}$/);
  const sized = { ...about, otpLength: 6, alphanumeric: false };
  const v2 = resultOf(await parent.submit('INIT_OTP_AUTH_V2', sized), 'initOtpAuthResultV2');
  assert.match(await mail.nextCode('versions@example.com'), /^\d{6}$/);
  const v3 = resultOf(await parent.submit('INIT_OTP_AUTH_V3', { ...sized, appName: 'Third' }), 'initOtpAuthResultV2');
  assert.match((await mail.next('versions@example.com')).subject, /Third/);
  for (const result of [v1, v2, v3]) assert.deepEqual(Object.keys(result), ['otpId']);
});

test('the answer does not tell whether a user has the contact, and a code for an unknown contact opens nothing', async () => {
  const { parent } = await household(instance, { userEmail: 'there@example.com' });
  const users = [{ ...userWith('Twin', [newKeys()]), userEmail: 'twin@example.com', userTags: [] }];
  const { own } = await household(instance, { userEmail: 'twin@example.com' });
  resultOf(await own.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  const known = await parent.submit('INIT_OTP_AUTH_V3', ask('there@example.com'));
  const unknown = await parent.submit('INIT_OTP_AUTH_V3', ask('nobody@example.com'));
  const shape = ({ body }: typeof known) => [body.activity.status, Object.keys(body.activity.result.initOtpAuthResultV2)];
  assert.deepEqual(shape(unknown), shape(known));
  resultOf(await own.submit('INIT_OTP_AUTH_V3', ask('twin@example.com')), 'initOtpAuthResultV2');
  await mail.next('there@example.com');
  assert.deepEqual(
    mail.received.filter(({ to }) => /nobody|twin/.test(to)),
    [],
  );
  const { otpId } = resultOf(unknown, 'initOtpAuthResultV2');
  const { publicKey: targetPublicKey } = newKeys();
  for (const otpCode of ['1', '2', '3', '4'])
    invalidCode(await parent.submit('OTP_AUTH', { otpId, otpCode, targetPublicKey }), FIELD);
});

test('features, permission, consensus, limits, and what is wrong by its field', async () => {
  const off = await household(instance, { userEmail: 'off@example.com' }, { disableOtpEmailAuth: true });
  refused(await off.parent.submit('INIT_OTP_AUTH_V3', ask('off@example.com')), [
    403,
    'REQUEST_NOT_AUTHORIZED',
    /OTP_EMAIL_AUTH is off/,
  ]);
  await refusedToNobody(instance, 'INIT_OTP_AUTH_V3', ask('a@example.com'));
  await waitsForBoth(pair, 'INIT_OTP_AUTH_V3', ask('pair@example.com'), 'initOtpAuthResultV2');
  await refusesEach(root, 'INIT_OTP_AUTH_V3', [[ask('nobody'), 'parameters.contact', /invalid email/, 'INVALID_EMAIL']]);
  const { parent } = await household(instance, { userEmail: 'limited@example.com' });
  for (const contact of ['limited@example.com', 'unknown@example.com']) {
    for (let i = 0; i < 3; i++) resultOf(await parent.submit('INIT_OTP_AUTH_V3', ask(contact)), 'initOtpAuthResultV2');
    refused(await parent.submit('INIT_OTP_AUTH_V3', ask(contact)), [429, 'MAX_OTP_INITIATED', /LIMIT_LIVE_OTPS/]);
  }
});
