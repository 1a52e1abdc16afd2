import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { claimsOf, invalidCode, otherThan, sealed } from '../../activities/otp/support.ts';
import { enabledProxy, type TestProxy } from '../../support/auth-proxy.ts';
import { type Answer, newKeys, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { codeIn, sharedMail } from '../../support/mail.ts';
import { refused } from '../../support/refusals.ts';

const mail = await sharedMail();
const instance = await sharedInstance(mail.env);
const { root, clock } = instance;
let proxy: TestProxy;

before(async () => {
  proxy = await enabledProxy(root);
});

const EMAIL = 'OTP_TYPE_EMAIL';
let people = 0;
const newContact = () => `code-${++people}@example.com`;
const ok = (answer: Answer) => {
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const sentNow = async (id: string, type: string) => {
  const { activities } = (await root.query('list_activities', { filterByType: [type], paginationOptions: { limit: '1' } })).body;
  assert.equal(activities[0].votes[0].userId, proxy.userId, id);
  return activities[0].intent;
};

test('a sealed code becomes a token that is bound to the client’s key', async () => {
  const contact = newContact();
  const initiated = ok(await proxy.ask('otp_init_v2', { otpType: EMAIL, contact }));
  assert.deepEqual(Object.keys(initiated), ['otpId', 'otpEncryptionTargetBundle']);
  const keys = newKeys();
  const code = await mail.nextCode(contact);
  const verified = ok(await proxy.ask('otp_verify_v2', await sealed(root, code, initiated, keys.publicKey)));
  assert.deepEqual(Object.keys(verified), ['verificationToken']);
  const claims = claimsOf(verified.verificationToken);
  assert.deepEqual([claims.contact, claims.organization_id, claims.public_key], [contact, root.organizationId, keys.publicKey]);
  assert.ok(Math.abs(Number(claims.exp) - clock.now() - 3_600_000) < 60_000);
});

test('a code in the clear, with a key and without', async () => {
  for (const publicKey of [undefined, '', newKeys().publicKey]) {
    const contact = newContact();
    const { otpId, ...more } = ok(await proxy.ask('otp_init', { otpType: EMAIL, contact }));
    assert.deepEqual(more, {});
    const verified = ok(await proxy.ask('otp_verify', { otpId, otpCode: await mail.nextCode(contact), publicKey }));
    assert.equal(claimsOf(verified.verificationToken).public_key, publicKey || undefined);
  }
});

test('a wrong code is counted, and the third one locks it', async () => {
  const contact = newContact();
  const { otpId } = ok(await proxy.ask('otp_init', { otpType: EMAIL, contact }));
  const code = await mail.nextCode(contact);
  for (const nth of [1, 2, 3]) invalidCode(await proxy.ask('otp_verify', { otpId, otpCode: otherThan(code, nth) }), 'otpCode');
  invalidCode(await proxy.ask('otp_verify', { otpId, otpCode: code }), 'otpCode');
});

test('the settings say what a code is like, for how long, and who sends it', async () => {
  await proxy.set({
    otpLength: 6,
    otpAlphanumeric: false,
    otpExpirationSeconds: 60,
    verificationTokenExpirationSeconds: 120,
    emailCustomizationParams: { appName: 'Ünser Wallet', magicLinkTemplate: 'https://app.example.com/in?code=%s' },
  });
  const contact = newContact();
  const { otpId } = ok(await proxy.ask('otp_init', { otpType: EMAIL, contact }));
  const { initOtpIntentV2 } = await sentNow(contact, 'ACTIVITY_TYPE_INIT_OTP_V2');
  assert.deepEqual(initOtpIntentV2, {
    otpType: EMAIL,
    contact,
    appName: 'Ünser Wallet',
    otpLength: 6,
    alphanumeric: false,
    expirationSeconds: '60',
    emailCustomization: { magicLinkTemplate: 'https://app.example.com/in?code=%s' },
  });
  const sent = await mail.next(contact);
  assert.match(sent.text, /Ünser Wallet/);
  const otpCode = codeIn(sent.text);
  const { verificationToken } = ok(await proxy.ask('otp_verify', { otpId, otpCode }));
  // Tokens of the first version of VERIFY_OTP have seconds.
  assert.ok(Math.abs(Number(claimsOf(verificationToken).exp) * 1000 - clock.now() - 120_000) < 30_000);
  await proxy.set({ otpLength: 9, emailCustomizationParams: {} });
});

test('without a name of the application, its organization’s', async () => {
  const contact = newContact();
  ok(await proxy.ask('otp_init_v2', { otpType: EMAIL, contact }));
  const { organizationName } = (await root.query('whoami', {})).body;
  assert.equal((await sentNow(contact, 'ACTIVITY_TYPE_INIT_OTP_V3')).initOtpIntentV3.appName, organizationName);
});

test('a wrong value is named by the field of the request', async () => {
  const contact = newContact();
  for (const [name, body, code, text, field] of [
    ['otp_init', { contact }, 'REQUEST_INVALID', /otpType: /, 'otpType'],
    ['otp_init', { otpType: 'OTP_TYPE_CARRIER_PIGEON', contact }, 'REQUEST_INVALID', /must be OTP_TYPE_EMAIL/, 'otpType'],
    ['otp_init_v2', { otpType: EMAIL }, 'REQUEST_INVALID', /contact/, 'contact'],
    ['otp_init_v2', { otpType: EMAIL, contact: 'nobody' }, 'INVALID_EMAIL', /bad request body: contact: /, 'contact'],
    [
      'otp_init_v2',
      { otpType: EMAIL, contact, emailCustomization: { templateId: 'none' } },
      'REQUEST_INVALID',
      /template/,
      'emailCustomization.templateId',
    ],
    ['otp_verify', { otpId: 'x', otpCode: 'x' }, 'REQUEST_INVALID', /must be a UUID/, 'otpId'],
    ['otp_verify_v2', { otpId: root.organizationId, encryptedOtpBundle: '' }, 'REQUEST_INVALID', /sealed/, 'encryptedOtpBundle'],
    ['otp_verify_v2', { otpId: root.organizationId, encryptedOtpBundle: '{}' }, 'REQUEST_INVALID', /./, 'encryptedOtpBundle'],
  ] as const)
    refused(await proxy.ask(name, body), [400, code, text], field);
  refused(await proxy.ask('otp_init', { otpType: 'OTP_TYPE_SMS', contact: '+14155550100' }), [
    403,
    'REQUEST_NOT_AUTHORIZED',
    /FEATURE_NAME_SMS_AUTH is off/,
  ]);
});

test('a code of another organization is as good as none', async () => {
  const contact = newContact();
  const sub = await instance.newSubOrganization('Elsewhere', 1, 1);
  const parameters = { otpType: EMAIL, contact, appName: 'Elsewhere' };
  const { otpId } = resultOf(await sub.clients[0]!.submit('INIT_OTP_V2', parameters), 'initOtpResultV2');
  const otpCode = await mail.nextCode(contact);
  const unknown = await proxy.ask('otp_verify', { otpId: sub.organizationId, otpCode });
  const theirs = await proxy.ask('otp_verify', { otpId, otpCode });
  invalidCode(theirs, 'otpCode');
  assert.equal(theirs.body.message, unknown.body.message);
});

test('a way that the application does not offer is refused', async () => {
  await proxy.set({ allowedAuthMethods: ['passkey'] });
  for (const name of ['otp_init', 'otp_init_v2'])
    refused(await proxy.ask(name, { otpType: EMAIL, contact: newContact() }), [
      403,
      'REQUEST_NOT_AUTHORIZED',
      /email is not among the allowedAuthMethods/,
    ]);
  await proxy.set({ allowedAuthMethods: ['email', 'passkey'] });
  ok(await proxy.ask('otp_init', { otpType: EMAIL, contact: newContact() }));
});

test('a policy that denies it holds', async () => {
  const policy = {
    policyName: 'No codes',
    effect: 'EFFECT_DENY',
    condition: "activity.resource == 'OTP' && activity.action == 'CREATE'",
    notes: '',
  };
  const { policyId } = resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  const denied = await proxy.ask('otp_init', { otpType: EMAIL, contact: newContact() });
  refused(denied, [403, 'REQUEST_NOT_AUTHORIZED', /^request not authorized: a policy of the organization denies this request$/]);
  assert.ok(!denied.text.includes(policyId), 'which policies there are is not for everybody');
  resultOf(await root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
  ok(await proxy.ask('otp_init', { otpType: EMAIL, contact: newContact() }));
});
