import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyOtpVerificationToken } from '@turnkey/crypto';
import { newKeys, resultOf, submitPath } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedMail } from '../../support/mail.ts';
import { publishedKey } from '../../support/published.ts';
import { NOBODY, refusesEach } from '../../support/refusals.ts';
import { agreed, newPair, refusedToNobody } from '../support.ts';
import { claimsOf, household, initiate, initiateInTheClear, invalidCode, otherThan, sealed, verifySealed } from './support.ts';

const mail = await sharedMail();
const instance = await sharedInstance({ ...mail.env, LIMIT_LIVE_OTPS: '100', LIMIT_OTP_INITIATIONS: '100' });
const pair = await newPair(instance, 'Pair');
const { root } = instance;
const KEY = 'verifyOtpResult';
const keys = newKeys();
const CLEAR = 'parameters.otpCode';
const SEALED = 'parameters.encryptedOtpBundle';

const newSealed = async (contact: string, more: object = {}) => {
  const initiated = await initiate(root, contact, more);
  return { initiated, code: await mail.nextCode(contact) };
};

const newClear = async (contact: string) => {
  const otpId = await initiateInTheClear(root, contact);
  return { otpId, code: await mail.nextCode(contact) };
};

test('a sealed code gets the token that the published client verifies, bound to the key in the bundle', async () => {
  const { initiated, code } = await newSealed('Sealed+1~@example.com');
  const from = instance.clock.now();
  const answer = await verifySealed(root, code, initiated, keys);
  const until = instance.clock.now();
  const { verificationToken } = resultOf(answer, KEY);
  const claims = await verifyOtpVerificationToken(verificationToken, await publishedKey(root.url, 'otp-signer'));
  assert.deepEqual(Object.keys(claims), ['exp', 'id', 'organization_id', 'verification_type', 'contact', 'public_key']);
  const { id, exp, ...rest } = claims as unknown as Record<string, string>;
  assert.deepEqual(rest, {
    organization_id: root.organizationId,
    verification_type: 'OTP_TYPE_EMAIL',
    contact: 'Sealed+1~@example.com',
    public_key: keys.publicKey,
  });
  assert.notEqual(id, initiated.otpId);
  const madeAt = Number(exp) - 3_600_000;
  assert.ok(madeAt >= from && madeAt <= until, exp);
  assert.match(verificationToken.split('.')[1]!, /^[A-Za-z0-9]+$/);
});

test('a code in the clear gets a token of the first kind, bound to a key or to none', async () => {
  for (const publicKey of [undefined, '', keys.publicKey.toUpperCase()]) {
    const { otpId, code } = await newClear('clear@example.com');
    const parameters = {
      otpId,
      otpCode: code.toLowerCase(),
      expirationSeconds: '86400',
      ...(publicKey !== undefined && { publicKey }),
    };
    const claims = claimsOf(resultOf(await root.submit('VERIFY_OTP', parameters), KEY).verificationToken);
    assert.equal(claims.public_key, publicKey ? keys.publicKey : undefined);
    assert.equal(typeof claims.exp, 'number');
    assert.ok(Math.abs(claims.exp - instance.clock.now() / 1000 - 86_400) < 10);
  }
});

test('three wrong attempts lock a code, and the right one is refused alike then', async () => {
  const { otpId, code } = await newClear('locked@example.com');
  const verify = (otpCode: string) => root.submit('VERIFY_OTP', { otpId, otpCode });
  for (const nth of [1, 2, 3]) invalidCode(await verify(otherThan(code, nth)), CLEAR);
  invalidCode(await verify(code), CLEAR);
  const spared = await newClear('spared@example.com');
  for (const nth of [1, 2])
    invalidCode(await root.submit('VERIFY_OTP', { otpId: spared.otpId, otpCode: otherThan(spared.code, nth) }), CLEAR);
  resultOf(await root.submit('VERIFY_OTP', { otpId: spared.otpId, otpCode: spared.code }), KEY);
});

test('sealed wrong attempts count too; what cannot be read spends none', async () => {
  const { initiated, code } = await newSealed('sealed-locked@example.com');
  const other = await newSealed('another@example.com');
  const misplaced = await sealed(root, code, { ...other.initiated, otpId: initiated.otpId }, keys.publicKey);
  const keyless = await sealed(root, code, initiated, 'no key');
  for (const parameters of [misplaced, keyless, misplaced, keyless])
    invalidCode(await root.submit('VERIFY_OTP_V2', parameters), SEALED);
  for (const nth of [1, 2]) invalidCode(await verifySealed(root, otherThan(code, nth), initiated, keys), SEALED);
  resultOf(await verifySealed(root, code, initiated, keys), KEY);
});

test('unknown, expired, used, locked, of another organization or of the other version: all are answered alike', async () => {
  const clear = (otpId: string, otpCode: string, client = root) => client.submit('VERIFY_OTP', { otpId, otpCode });
  const used = await newClear('used@example.com');
  resultOf(await clear(used.otpId, used.code), KEY);
  const expired = await newClear('expired@example.com');
  const foreign = await newClear('foreign@example.com');
  const { parent } = await household(instance, {});
  const sealedOne = await newSealed('sealed-one@example.com');
  const clearOne = await newClear('clear-one@example.com');
  const wrong = await newClear('wrong@example.com');
  const answers = [
    await clear(NOBODY, '123456'),
    await clear(used.otpId, used.code),
    await clear(foreign.otpId, foreign.code, parent),
    await clear(sealedOne.initiated.otpId, sealedOne.code),
    await clear(wrong.otpId, otherThan(wrong.code)),
  ];
  const bundle = await sealed(root, clearOne.code, { ...sealedOne.initiated, otpId: clearOne.otpId }, keys.publicKey);
  invalidCode(await root.submit('VERIFY_OTP_V2', bundle), SEALED);
  invalidCode(await root.submit('VERIFY_OTP_V2', { ...bundle, otpId: NOBODY }), SEALED);
  instance.clock.advance(300_000);
  answers.push(await clear(expired.otpId, expired.code));
  invalidCode(await verifySealed(root, sealedOne.code, sealedOne.initiated, keys), SEALED);
  for (const answer of answers) {
    invalidCode(answer, CLEAR);
    assert.deepEqual([answer.body.message, answer.body.code], [answers[0]!.body.message, answers[0]!.body.code]);
  }
});

test('of many right ones at once one wins, sealed or not', async () => {
  const { otpId, code } = await newClear('race@example.com');
  const { initiated, code: hidden } = await newSealed('sealed-race@example.com');
  const all = Array.from({ length: 8 }, () => [
    root.submit('VERIFY_OTP', { otpId, otpCode: code }),
    verifySealed(root, hidden, initiated, keys),
  ]);
  const answers = await Promise.all(all.flat());
  for (const kind of [0, 1]) assert.equal(answers.filter(({ status }, i) => i % 2 === kind && status === 200).length, 1);
});

test('a repeated body spends no attempt, whatever was its answer', async () => {
  const { otpId, code } = await newClear('again@example.com');
  const path = submitPath('VERIFY_OTP');
  const wrong = root.bodyOf('VERIFY_OTP', { otpId, otpCode: otherThan(code) });
  const refusals = await Promise.all(Array.from({ length: 5 }, () => root.send(path, wrong)));
  for (const answer of refusals) invalidCode(answer, CLEAR);
  assert.equal(new Set(refusals.map(({ text }) => text)).size, 1);
  assert.equal((await instance.engine.store.read.otps.get(root.organizationId, otpId))!.misses, 1);
  const right = root.bodyOf('VERIFY_OTP', { otpId, otpCode: code });
  const first = await root.send(path, right);
  resultOf(first, KEY);
  assert.deepEqual((await root.send(path, right)).body, first.body);
});

test('the code and the token are shown to whoever sent them alone, and are in no row', async () => {
  const { otpId, code } = await newClear('canary@example.com');
  const answer = await root.submit('VERIFY_OTP', { otpId, otpCode: code });
  const { verificationToken } = resultOf(answer, KEY);
  const { activity } = answer.body;
  const mine = (await root.query('get_activity', { activityId: activity.id })).body.activity;
  assert.deepEqual(
    [mine.intent.verifyOtpIntent.otpCode, mine.result.verifyOtpResult.verificationToken],
    [code, verificationToken],
  );
  const { client } = await instance.newUser('Looks on');
  const theirs = await client.query('get_activity', { activityId: activity.id });
  assert.ok(!theirs.text.includes(code) && !theirs.text.includes(verificationToken.split('.')[2]!), theirs.text);
  const row = (await instance.engine.store.read.activities.get(root.organizationId, activity.id))!;
  for (const text of [row.body.toString('latin1'), row.result])
    assert.ok(!text.includes(code) && !text.includes(verificationToken));
});

test('used or locked, nothing of a code is left, nor of its key', async () => {
  const read = async (otpId: string) => (await instance.engine.store.read.otps.get(root.organizationId, otpId))!;
  const { initiated, code } = await newSealed('left@example.com');
  const before = await read(initiated.otpId);
  assert.ok(before.code && before.targetKey && before.targetPublicKey);
  resultOf(await verifySealed(root, code, initiated, keys), KEY);
  const locked = await newSealed('left-locked@example.com');
  for (const nth of [1, 2, 3]) invalidCode(await verifySealed(root, otherThan(locked.code, nth), locked.initiated, keys), SEALED);
  for (const id of [initiated.otpId, locked.initiated.otpId]) {
    const { code: hash, targetKey, targetPublicKey } = await read(id);
    assert.deepEqual([hash, targetKey, targetPublicKey], [null, null, null]);
  }
});

test('without permission, with consensus, and what is wrong by its field', async () => {
  const { otpId, code } = await newClear('policies@example.com');
  await refusedToNobody(instance, 'VERIFY_OTP', { otpId, otpCode: code });
  const [first] = pair.clients;
  const waiting = await initiateBy();
  const done = await agreed(pair, 'VERIFY_OTP', { otpId: waiting, otpCode: await mail.nextCode('pair@example.com') });
  resultOf(done, KEY);
  async function initiateBy(): Promise<string> {
    const answer = await agreed(pair, 'INIT_OTP_V2', { otpType: 'OTP_TYPE_EMAIL', contact: 'pair@example.com', appName: 'Pair' });
    return resultOf(answer, 'initOtpResultV2').otpId;
  }
  assert.equal((await first.query('whoami')).status, 200);
  await refusesEach(root, 'VERIFY_OTP', [
    [{ otpId, otpCode: '' }, CLEAR, /./],
    [{ otpId, otpCode: '1'.repeat(65) }, CLEAR, /./],
    [{ otpId, otpCode: code, publicKey: 'ab' }, 'parameters.publicKey', /P-256/],
  ]);
  await refusesEach(root, 'VERIFY_OTP_V2', [
    [{ otpId, otpCode: code }, SEALED, /./],
    [{ otpId, encryptedOtpBundle: '{' }, SEALED, /./],
    [{ otpId, encryptedOtpBundle: '{"encappedPublic":"00","ciphertext":"00"}' }, SEALED, /encappedPublic/],
  ]);
  resultOf(await root.submit('VERIFY_OTP', { otpId, otpCode: code }), KEY);
});
