import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKeys, resultOf, submitPath } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedMail } from '../../support/mail.ts';
import { keysIn, newTarget } from '../../support/published.ts';
import { NOBODY, refusesEach } from '../../support/refusals.ts';
import { refusedToNobody } from '../support.ts';
import { ask, household, initiateInTheClear, invalidCode, otherThan, stampsAs } from './support.ts';

const mail = await sharedMail();
const instance = await sharedInstance({ ...mail.env, LIMIT_LIVE_OTPS: '100', LIMIT_OTP_INITIATIONS: '100' });
const { root } = instance;
const KEY = 'otpAuthResult';
const FIELD = 'parameters.otpCode';
type Client = typeof root;

const init = async (client: Client, contact: string): Promise<string> =>
  resultOf(await client.submit('INIT_OTP_AUTH_V3', ask(contact)), 'initOtpAuthResultV2').otpId;

test('the code’s user gets a key that the published client opens, and that stamps', async () => {
  const { parent, own, userId } = await household(instance, { userEmail: 'Bundle@example.com' });
  const { privateKey, publicKeyUncompressed: targetPublicKey } = newTarget();
  const otpId = await init(parent, 'bundle@example.com');
  const otpCode = await mail.nextCode('Bundle@example.com');
  const answer = await parent.submit('OTP_AUTH', { otpId, otpCode, targetPublicKey, expirationSeconds: '600' });
  const result = resultOf(answer, KEY);
  assert.deepEqual(Object.keys(result), ['userId', 'apiKeyId', 'credentialBundle']);
  assert.equal(result.userId, userId);
  await stampsAs(own, keysIn(result.credentialBundle, { privateKey }), userId);
  const { apiKey } = (await own.query('get_api_key', { apiKeyId: result.apiKeyId })).body;
  assert.equal(apiKey.credential.type, 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256');
  assert.match(apiKey.apiKeyName, /^OTP Auth - \d{10}$/);
  assert.equal(apiKey.expirationSeconds, '600');
  invalidCode(await parent.submit('OTP_AUTH', { otpId, otpCode, targetPublicKey, apiKeyName: 'again' }), FIELD);
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

test('without permission, and what is wrong by its field', async () => {
  const { publicKey: targetPublicKey } = newKeys();
  const parameters = { otpId: NOBODY, otpCode: '1', targetPublicKey };
  await refusedToNobody(instance, 'OTP_AUTH', parameters);
  await refusesEach(root, 'OTP_AUTH', [
    [{ ...parameters, otpCode: '' }, FIELD, /./],
    [{ ...parameters, targetPublicKey: '02' }, 'parameters.targetPublicKey', /P-256/],
    [{ ...parameters, targetPublicKey: `02${'ff'.repeat(32)}` }, 'parameters.targetPublicKey', /P-256/],
    [{ ...parameters, expirationSeconds: '0' }, 'parameters.expirationSeconds', /./],
  ]);
});
