import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, household, initiate, login, outboxOf, sealed, stampsAs, verifySealed } from '../../activities/otp/support.ts';
import { marksOf } from '../../activities/tokens.ts';
import { newKeys, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';

const mute = await sharedInstance({ DEV_OUTBOX: '0' });
const dev = await sharedInstance({ DEV_OUTBOX: '1', OTP_SANDBOX: '1' });
const sms = { otpType: 'OTP_TYPE_SMS', otpLength: 6, alphanumeric: false };
const digits = { otpLength: 6, alphanumeric: false };

const feature = { name: 'FEATURE_NAME_SMS_AUTH', value: '' };
resultOf(await dev.root.submit('SET_ORGANIZATION_FEATURE', feature), 'setOrganizationFeatureResult');

test('without mail it says so, of every address alike, and stores no code', async () => {
  const { parent } = await household(mute, { userEmail: 'a@example.com' });
  const off = [400, 'EMAIL_SENDING_DISABLED', /./] as [number, string, RegExp];
  for (const contact of ['a@example.com', 'b@example.com', 'user@example.com']) {
    refused(await parent.submit('INIT_OTP_V3', ask(contact, digits)), off);
    refused(await parent.submit('INIT_OTP_AUTH_V3', ask(contact, digits)), off);
  }
  assert.equal((await mute.raw('SELECT id FROM otps')).length, 0);
});

test('the outbox of a developer has codes of both channels', async () => {
  await initiate(dev.root, '+1 (415) 555-2671', { ...sms, smsCustomization: { template: 'It is {{.OtpCode}}' } });
  // Mail and SMS leave side by side: this answers when the first has left.
  await outboxOf(dev.root);
  await initiate(dev.root, 'dev@example.com');
  const messages = await outboxOf(dev.root);
  assert.deepEqual(
    messages.map(({ channel, to }) => [channel, to]),
    [
      ['email', 'dev@example.com'],
      ['sms', '+14155552671'],
    ],
  );
  for (const { text } of messages) assert.match(text, /code: \w{6,9}$/m);
});

test('by SMS, whoever has the number logs in', async () => {
  const { parent, own, userId } = await household(dev, { userPhoneNumber: '+1 415 555 2672' });
  const [keys, session] = [newKeys(), newKeys()];
  const initiated = await initiate(dev.root, '+14155552672', sms);
  const [, code] = /code: (\d{6})$/m.exec((await outboxOf(dev.root))[0]!.text)!;
  const { verificationToken } = resultOf(await verifySealed(dev.root, code!, initiated, keys), 'verifyOtpResult');
  resultOf(await parent.submit('OTP_LOGIN_V2', login(verificationToken, keys, session)), 'otpLoginResult');
  await stampsAs(own, session, userId);
  assert.equal((await marksOf(dev, userId)).phone, true);
});

test('in the sandbox, two contacts have a code that everybody knows, and nothing is sent to them', async () => {
  const before = (await outboxOf(dev.root)).length;
  const keys = newKeys();
  for (const initiated of [
    await initiate(dev.root, 'User@Example.com', digits),
    await initiate(dev.root, '+1 999-999-9999', sms),
  ])
    resultOf(
      await dev.root.submit('VERIFY_OTP_V2', await sealed(dev.root, '000000', initiated, keys.publicKey)),
      'verifyOtpResult',
    );
  assert.equal((await outboxOf(dev.root)).length, before);
  for (const [contact, more] of [
    ['user@example.com', { otpLength: 7, alphanumeric: false }],
    ['user@example.com', { otpLength: 6 }],
    ['users@example.com', digits],
  ] as const) {
    const initiated = await initiate(dev.root, contact, more);
    const answer = await verifySealed(dev.root, '000000', initiated, keys);
    refused(answer, [400, 'REQUEST_INVALID', /^Invalid OTP code/]);
  }
  assert.equal((await outboxOf(dev.root)).length, before + 3);
});
