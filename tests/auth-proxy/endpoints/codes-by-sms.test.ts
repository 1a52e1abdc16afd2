import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimsOf, outboxOf } from '../../activities/otp/support.ts';
import { marksOf } from '../../activities/tokens.ts';
import { enabledProxy } from '../../support/auth-proxy.ts';
import { newKeys, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';

const instance = await sharedInstance();
const { root } = instance;
const SMS = 'OTP_TYPE_SMS';

test('a code by SMS, in the words of the settings, signs up and logs in', async () => {
  const settings = { allowedAuthMethods: ['sms'], smsCustomizationParams: { template: 'Wallet: {{.OtpCode}}' }, otpLength: 6 };
  const proxy = await enabledProxy(root, settings);
  const contact = '+1 (415) 555-0123';
  refused(await proxy.ask('otp_init', { otpType: SMS, contact }), [
    403,
    'REQUEST_NOT_AUTHORIZED',
    /FEATURE_NAME_SMS_AUTH is off/,
  ]);
  const feature = { name: 'FEATURE_NAME_SMS_AUTH', value: '' };
  resultOf(await root.submit('SET_ORGANIZATION_FEATURE', feature), 'setOrganizationFeatureResult');
  const { otpId } = (await proxy.ask('otp_init', { otpType: SMS, contact })).body;
  const [message] = await outboxOf(root);
  assert.equal(message!.to, '+14155550123');
  const [, otpCode] = /^Wallet: ([0-9A-Z]{6})$/m.exec(message!.text)!;
  const { verificationToken } = (await proxy.ask('otp_verify', { otpId, otpCode })).body;
  assert.equal(claimsOf(verificationToken).contact, '+14155550123');
  const person = { userPhoneNumber: contact, verificationToken, apiKeys: [], authenticators: [], oauthProviders: [] };
  const made = await proxy.ask('signup', person);
  assert.equal(made.status, 200, made.text);
  assert.equal((await marksOf(instance, made.body.userId)).phone, true);
  const login = { verificationToken, publicKey: newKeys().publicKey };
  assert.match((await proxy.ask('otp_login', login)).body.session, /^ey/);
  refused(await proxy.ask('otp_init', { otpType: 'OTP_TYPE_EMAIL', contact: 'a@example.com' }), [
    403,
    'REQUEST_NOT_AUTHORIZED',
    /email is not among/,
  ]);
});
