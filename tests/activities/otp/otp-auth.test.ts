import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decryptCredentialBundle, generateP256KeyPair, getPublicKey } from '@turnkey/crypto';
import { type Keys, newKeys, resultOf, submitPath, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedMail } from '../../support/mail.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { newPair, refusedToNobody, waitsForBoth } from '../support.ts';
import { ask, household, initiateInTheClear, invalidCode, otherThan, stampsAs } from './support.ts';

const mail = await sharedMail();
const instance = await sharedInstance({ ...mail.env, LIMIT_LIVE_OTPS: '100', LIMIT_OTP_INITIATIONS: '100' });
const pair = await newPair(instance, 'Pair');
const { root } = instance;
const KEY = 'otpAuthResult';
const FIELD = 'parameters.otpCode';
type Client = typeof root;

const init = async (client: Client, contact: string): Promise<string> =>
  resultOf(await client.submit('INIT_OTP_AUTH_V3', ask(contact)), 'initOtpAuthResultV2').otpId;

const keysIn = (bundle: string, privateKey: string): Keys => {
  const opened = decryptCredentialBundle(bundle, privateKey);
  return { privateKey: opened, publicKey: Buffer.from(getPublicKey(Buffer.from(opened, 'hex'), true)).toString('hex') };
};

test('the code’s user gets a key that the published client opens, and that stamps', async () => {
  const { parent, own, userId } = await household(instance, { userEmail: 'Bundle@example.com' });
  const { privateKey, publicKeyUncompressed: targetPublicKey } = generateP256KeyPair();
  const otpId = await init(parent, 'bundle@example.com');
  const otpCode = await mail.nextCode('Bundle@example.com');
  const answer = await parent.submit('OTP_AUTH', { otpId, otpCode, targetPublicKey, expirationSeconds: '600' });
  const result = resultOf(answer, KEY);
  assert.deepEqual(Object.keys(result), ['userId', 'apiKeyId', 'credentialBundle']);
  assert.equal(result.userId, userId);
  await stampsAs(own, keysIn(result.credentialBundle, privateKey), userId);
  const { apiKey } = (await own.query('get_api_key', { apiKeyId: result.apiKeyId })).body;
  assert.equal(apiKey.credential.type, 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256');
  assert.match(apiKey.apiKeyName, /^OTP Auth - \d{10}$/);
  assert.equal(apiKey.expirationSeconds, '600');
  invalidCode(await parent.submit('OTP_AUTH', { otpId, otpCode, targetPublicKey, apiKeyName: 'again' }), FIELD);
});

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

test('nobody is told whether somebody has the contact, and a code of nobody opens nothing', async () => {
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

test('three wrong attempts lock it; unknown, of the other flow and after the user left: all alike', async () => {
  const { parent, own, userId } = await household(instance, { userEmail: 'locked@example.com' });
  const { publicKey: targetPublicKey } = newKeys();
  const auth = (otpId: string, otpCode: string) => parent.submit('OTP_AUTH', { otpId, otpCode, targetPublicKey });
  const locked = await init(parent, 'locked@example.com');
  const code = await mail.nextCode('locked@example.com');
  for (const nth of [1, 2, 3]) invalidCode(await auth(locked, otherThan(code, nth)), FIELD);
  invalidCode(await auth(locked, code), FIELD);
  invalidCode(await auth(NOBODY, code), FIELD);
  const other = await initiateInTheClear(parent, 'locked@example.com');
  const otherCode = await mail.nextCode('locked@example.com');
  invalidCode(await auth(other, otherCode), FIELD);
  const moved = await init(parent, 'locked@example.com');
  const movedCode = await mail.nextCode('locked@example.com');
  invalidCode(await parent.submit('VERIFY_OTP', { otpId: moved, otpCode: movedCode }), FIELD);
  resultOf(await own.submit('UPDATE_USER_EMAIL', { userId, userEmail: 'moved@example.com' }), 'updateUserEmailResult');
  invalidCode(await auth(moved, movedCode), FIELD);
});

test('of many at once one gets a key, and its body is answered again', async () => {
  const { parent, own, userId } = await household(instance, { userEmail: 'many@example.com' });
  const { publicKey: targetPublicKey } = newKeys();
  const otpId = await init(parent, 'many@example.com');
  const otpCode = await mail.nextCode('many@example.com');
  const path = submitPath('OTP_AUTH');
  const bodies = Array.from({ length: 6 }, () =>
    parent.bodyOf('OTP_AUTH', { otpId, otpCode, targetPublicKey, invalidateExisting: true }),
  );
  const answers = await Promise.all(bodies.map((body) => parent.send(path, body)));
  const won = answers.findIndex(({ status }) => status === 200);
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.deepEqual((await parent.send(path, bodies[won]!)).body, answers[won]!.body);
  const { apiKeys } = (await own.query('get_api_keys', { userId })).body;
  assert.equal(apiKeys.filter((key: { credential: { type: string } }) => key.credential.type.includes('OTP_AUTH')).length, 1);
});

test('features, permission, consensus, and what is wrong by its field', async () => {
  const off = await household(instance, { userEmail: 'off@example.com' }, { disableOtpEmailAuth: true });
  refused(await off.parent.submit('INIT_OTP_AUTH_V3', ask('off@example.com')), [
    403,
    'REQUEST_NOT_AUTHORIZED',
    /OTP_EMAIL_AUTH is off/,
  ]);
  await refusedToNobody(instance, 'INIT_OTP_AUTH_V3', ask('a@example.com'));
  const { publicKey: targetPublicKey } = newKeys();
  const parameters = { otpId: NOBODY, otpCode: '1', targetPublicKey };
  await refusedToNobody(instance, 'OTP_AUTH', parameters);
  await waitsForBoth(pair, 'INIT_OTP_AUTH_V3', ask('pair@example.com'), 'initOtpAuthResultV2');
  await refusesEach(root, 'OTP_AUTH', [
    [{ ...parameters, otpId: 'x' }, 'parameters.otpId', /UUID/],
    [{ ...parameters, otpCode: '' }, FIELD, /./],
    [{ ...parameters, targetPublicKey: '02' }, 'parameters.targetPublicKey', /P-256/],
    [{ ...parameters, targetPublicKey: `02${'ff'.repeat(32)}` }, 'parameters.targetPublicKey', /P-256/],
    [{ ...parameters, expirationSeconds: '0' }, 'parameters.expirationSeconds', /./],
  ]);
  await refusesEach(root, 'INIT_OTP_AUTH_V3', [[ask('nobody'), 'parameters.contact', /invalid email/, 'INVALID_EMAIL']]);
});
