import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedMail } from '../../support/mail.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { newPair, refusedToNobody, waitsForBoth } from '../support.ts';
import { ask, household, initiate } from './support.ts';

const mail = await sharedMail();
const instance = await sharedInstance(mail.env);
const pair = await newPair(instance, 'Pair');
const { root } = instance;
const TYPE = 'INIT_OTP_V3';
const FULL = [429, 'MAX_OTP_INITIATED', /^Max number of OTPs have been initiated: /] as [number, string, RegExp];

const rowOf = async (otpId: string) => (await instance.engine.store.read.otps.get(root.organizationId, otpId))!;

test('each version sends a code to the normalised address, and answers in its own shape', async () => {
  const { appName: _, ...first } = ask('V1@example.com', { emailCustomization: { appName: 'First' } });
  const v1 = resultOf(await root.submit('INIT_OTP', first), 'initOtpResult');
  assert.deepEqual(Object.keys(v1), ['otpId']);
  assert.match((await mail.next('V1@example.com')).subject, /First/);
  const v2 = resultOf(await root.submit('INIT_OTP_V2', ask('v2@example.com')), 'initOtpResultV2');
  assert.deepEqual([Object.keys(v2), v2.otpEncryptionTargetBundle], [['otpId', 'otpEncryptionTargetBundle'], '']);
  const v3 = await initiate(root, 'v3@example.com');
  const bundle = JSON.parse(v3.otpEncryptionTargetBundle);
  assert.equal(bundle.version, 'v1.0.0');
  const inner = JSON.parse(Buffer.from(bundle.data, 'hex').toString('utf8'));
  assert.deepEqual(Object.keys(inner), ['targetPublic', 'organizationId']);
  assert.match(inner.targetPublic, /^04[0-9a-f]{128}$/);
  assert.equal(inner.organizationId, root.organizationId);
  const uses = [v1, v2, v3].map(async ({ otpId }) => (await rowOf(otpId)).use);
  assert.deepEqual(await Promise.all(uses), ['clear', 'clear', 'sealed']);
});

test('codes have the form and the life that were asked for, and the row has none of them', async () => {
  const cases: [more: object, form: RegExp, seconds: number][] = [
    [{}, /^[02-9A-Z]{9}$/, 300],
    [{ otpLength: 6, alphanumeric: false, expirationSeconds: '600' }, /^\d{6}$/, 600],
    [{ otpLength: 7, expirationSeconds: '1' }, /^[02-9A-Z]{7}$/, 1],
  ];
  for (const [i, [more, form, seconds]] of cases.entries()) {
    const contact = `form${i}@example.com`;
    const { otpId } = await initiate(root, contact, more);
    const code = await mail.nextCode(contact);
    assert.match(code, form);
    const row = await rowOf(otpId);
    assert.equal(row.expiresAt - row.createdAt, seconds * 1000);
    assert.ok(!row.code!.includes(code) && !JSON.stringify(row).includes(code));
  }
});

test('nothing tells whether a user has the contact', async () => {
  const { organizationId } = await household(instance, { userEmail: 'known@example.com' });
  const client = root.as(root.keys, organizationId);
  const answers = await Promise.all(
    ['known@example.com', 'nobody@example.com'].map(async (contact) => {
      const { body } = await client.submit(TYPE, ask(contact));
      await mail.next(contact);
      return [body.activity.status, Object.keys(body.activity.result.initOtpResultV2), body.activity.organizationId];
    }),
  );
  assert.deepEqual(answers[0], answers[1]);
  assert.equal(answers[0]![2], organizationId);
});

test('a contact has three live codes and ten initiations in ten minutes, in whatever letters it is written', async () => {
  const contact = 'limited@example.com';
  const init = (as = contact, more: object = {}) => root.submit(TYPE, ask(as, more));
  for (let i = 0; i < 3; i++)
    resultOf(await init(i === 1 ? 'LIMITED@example.com' : contact, { expirationSeconds: '10' }), 'initOtpResultV2');
  const live = await init('Limited@EXAMPLE.com');
  refused(live, [429, 'MAX_OTP_INITIATED', /3 valid codes.*LIMIT_LIVE_OTPS/]);
  assert.match(live.headers.get('retry-after')!, /^([1-9]|10)$/);
  resultOf(await init('other@example.com'), 'initOtpResultV2');
  for (let i = 3; i < 10; i++) {
    instance.clock.advance(10_000);
    resultOf(await init(contact, { expirationSeconds: '10' }), 'initOtpResultV2');
  }
  instance.clock.advance(10_000);
  refused(await init(), [429, 'MAX_OTP_INITIATED', /at most 10 codes in ten minutes.*LIMIT_OTP_INITIATIONS/]);
  const { organizationId } = await household(instance, {});
  refused(await root.as(root.keys, organizationId).submit(TYPE, ask(contact)), [
    429,
    'MAX_OTP_INITIATED',
    /and its sub-organizations/,
  ]);
  instance.clock.advance(600_000);
  for (let i = 0; i < 3; i++) resultOf(await init(), 'initOtpResultV2');
  refused(await init(), FULL);
});

test('with a user identifier: three initiations in three minutes, for whatever contacts', async () => {
  const init = (i: number, userIdentifier: string) => root.submit(TYPE, ask(`who${i}@example.com`, { userIdentifier }));
  for (const i of [1, 2, 3]) resultOf(await init(i, 'somebody'), 'initOtpResultV2');
  refused(await init(4, 'somebody'), [429, 'MAX_OTP_INITIATED', /LIMIT_OTP_INITIATIONS_OF_IDENTIFIER/]);
  resultOf(await init(5, 'somebody else'), 'initOtpResultV2');
  resultOf(await init(6, ''), 'initOtpResultV2');
  instance.clock.advance(181_000);
  resultOf(await init(7, 'somebody'), 'initOtpResultV2');
});

test('a repeated body is one initiation, also if it is the last that a limit permits', async () => {
  for (let i = 0; i < 2; i++) await initiate(root, 'repeated@example.com');
  const body = root.bodyOf(TYPE, ask('repeated@example.com'));
  const answers = await Promise.all(Array.from({ length: 6 }, () => root.send('/public/v1/submit/init_otp', body)));
  resultOf(answers[0]!, 'initOtpResultV2');
  for (const answer of answers) assert.deepEqual(answer.body, answers[0]!.body);
  for (let i = 0; i < 3; i++) await mail.next('repeated@example.com');
  assert.equal(mail.received.filter(({ to }) => to === 'repeated@example.com').length, 3);
});

test('codes are forgotten ten minutes after nobody counts them', async () => {
  const { otpId } = await initiate(root, 'forgotten@example.com');
  instance.clock.advance(1_210_000);
  for (let i = 0; i < 3; i++) await initiate(root, `sweeper${i}@example.com`);
  assert.equal(await instance.engine.store.read.otps.get(root.organizationId, otpId), undefined);
});

test('each feature is asked for, in both organizations', async () => {
  const off = [403, 'REQUEST_NOT_AUTHORIZED', /FEATURE_NAME_SMS_AUTH is off/] as [number, string, RegExp];
  refused(await root.submit(TYPE, ask('+14155550100', { otpType: 'OTP_TYPE_SMS' })), off);
  const { own, parent } = await household(instance, {}, { disableOtpEmailAuth: true });
  const mailOff = [403, 'REQUEST_NOT_AUTHORIZED', /FEATURE_NAME_OTP_EMAIL_AUTH is off/] as [number, string, RegExp];
  for (const client of [own, parent]) refused(await client.submit(TYPE, ask('a@example.com')), mailOff);
  refused(await parent.submit(TYPE, ask('+14155550100', { otpType: 'OTP_TYPE_SMS' })), off);
  refused(await own.submit(TYPE, ask('+14155550100', { otpType: 'OTP_TYPE_SMS' })), [
    400,
    'UNSPECIFIED',
    /^SMS sending is disabled/,
  ]);
});

test('without permission, with consensus, and what is wrong by its field', async () => {
  await refusedToNobody(instance, TYPE, ask('nobody@example.com'));
  const { otpId } = await waitsForBoth(pair, TYPE, ask('pair@example.com'), 'initOtpResultV2');
  assert.ok(otpId);
  const bad = (more: object, field: string, text: RegExp, code?: string) =>
    [{ ...ask('a@example.com'), ...more }, `parameters.${field}`, text, ...(code ? [code] : [])] as never;
  await refusesEach(root, TYPE, [
    bad({ otpType: 'OTP_TYPE_WHATSAPP' }, 'otpType', /does not send by WhatsApp/),
    bad({ contact: 'nobody' }, 'contact', /invalid email address/, 'INVALID_EMAIL'),
    bad({ contact: '+14155550100' }, 'contact', /invalid email address/, 'INVALID_EMAIL'),
    bad({ otpType: 'OTP_TYPE_SMS' }, 'contact', /E\.164/),
    bad({ appName: '' }, 'appName', /./),
    bad({ appName: undefined }, 'appName', /./),
    bad({ otpLength: 5 }, 'otpLength', /./),
    bad({ otpLength: 10 }, 'otpLength', /./),
    bad({ expirationSeconds: '0' }, 'expirationSeconds', /1 to 600/),
    bad({ expirationSeconds: '601' }, 'expirationSeconds', /at most 600/),
    bad({ userIdentifier: 'a'.repeat(1025) }, 'userIdentifier', /./),
    bad(
      { emailCustomization: { magicLinkTemplate: 'https://example.com' } },
      'emailCustomization.magicLinkTemplate',
      /magic link/,
    ),
    bad({ emailCustomization: { templateVariables: '[' } }, 'emailCustomization.templateVariables', /unmarshal/),
  ]);
});
