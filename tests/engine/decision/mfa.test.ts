import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge, methodOf } from '../../../src/engine/decision/mfa-methods.ts';
import { ATTESTED_SCHEME } from '../../../src/model/attested.ts';
import { NO_PROFILE } from '../../../src/model/mfa-policy.ts';
import { newCredential, PASSKEY_TYPE, RECOVERY_KEY } from '../../../src/model/user.ts';
import { method, newMfa, newPlace, open, steps, TAG, tag } from '../../e2e/mfa-support.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY } from '../../support/refusals.ts';

const stampBy = (type: string, more: object = {}, scheme = 'SIGNATURE_SCHEME_TK_API_P256') => {
  const whose = { organizationId: NOBODY, parentId: null, userId: NOBODY, createdAt: 0, publicKey: '' };
  return { scheme, credential: newCredential({ ...whose, id: 'id', name: '', type, ...more }) };
};

test('the method that each stamp shows', () => {
  const shows = (type: string, more: object = {}, scheme?: string) => methodOf(stampBy(type, more, scheme));
  assert.deepEqual(shows(PASSKEY_TYPE), method('PASSKEY', 'id'));
  for (const curve of ['P256', 'SECP256K1', 'ED25519'])
    assert.deepEqual(shows(`CREDENTIAL_TYPE_API_KEY_${curve}`, { expiresAt: 1 }), method('API_KEY', 'id'));
  for (const type of ['LOGIN', 'READ_WRITE_SESSION_KEY_P256', 'EMAIL_AUTH_KEY_P256', 'OTP_AUTH_KEY_P256', 'OAUTH_KEY_P256']) {
    assert.deepEqual(shows(`CREDENTIAL_TYPE_${type}`, { name: 'email' }), method('SESSION', NO_PROFILE), type);
    const scoped = shows(`CREDENTIAL_TYPE_${type}`, { sessionProfileId: NOBODY });
    assert.deepEqual(scoped, method('SESSION', NOBODY), type);
  }
  assert.equal(shows(RECOVERY_KEY), undefined);
  const otp = 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256';
  assert.deepEqual(shows(otp, { name: 'email' }, ATTESTED_SCHEME), method('EMAIL_OTP'));
  assert.deepEqual(shows(otp, { name: 'phone' }, ATTESTED_SCHEME), method('SMS_OTP'));
  assert.deepEqual(shows('CREDENTIAL_TYPE_OAUTH_KEY_P256', {}, ATTESTED_SCHEME), method('OAUTH', 'id'));
});

test('all steps, in any order, and one stamp for each step that names its method', () => {
  const required = steps([method('PASSKEY')], [method('API_KEY'), method('PASSKEY', 'id')], [method('SESSION')]) as never[];
  const passkey = stampBy(PASSKEY_TYPE);
  const session = stampBy('CREDENTIAL_TYPE_LOGIN');
  assert.deepEqual(judge(required, []), { missing: required, shown: [] });
  assert.deepEqual(judge(required, [session, passkey, passkey]).missing, []);
  assert.deepEqual(judge(required, [passkey]).missing, [required[2]]);
  assert.deepEqual(judge(required, [session, passkey, passkey]).shown, [method('SESSION', NO_PROFILE), method('PASSKEY', 'id')]);
  const other = stampBy(PASSKEY_TYPE, { id: 'other' });
  assert.deepEqual(judge(required, [other]).missing, [required[1], required[2]]);
  assert.deepEqual(judge(steps([method('API_KEY')]) as never[], [other]).shown, []);
});

const instance = await sharedInstance();

test('a stored condition that no longer compiles asks for its steps, whatever the activity is', async () => {
  const { people } = await newPlace(instance, 1);
  const person = people[0]!;
  const mfaPolicyId = await newMfa(person.byKey, person, steps([method('PASSKEY')]), { condition: 'false' });
  await instance.raw("UPDATE mfa_policies SET condition = 'of.an.older.language' WHERE name <> ''");
  open(await person.byKey.submit(TAG, tag()));
  const removal = { userId: person.userId, mfaPolicyId };
  resultOf(await person.byPasskey.submit('DELETE_MFA_POLICY', removal), 'deleteMfaPolicyResult');
  resultOf(await person.byKey.submit(TAG, tag()), 'createUserTagResult');
});
