import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateP256KeyPair } from '@turnkey/crypto';
import { ENROL_PROFILE } from '../../src/model/session-profile.ts';
import { ask, claimsOf, login, tokenFor } from '../activities/otp/support.ts';
import { signUpSignature } from '../activities/tokens.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { type Answer, apiKey, newKeys, resultOf } from '../support/client.ts';
import { sharedMail } from '../support/mail.ts';
import { refused } from '../support/refusals.ts';
import { atOnce, type Call, races } from './races.ts';

/** Many log in at once, on PostgreSQL at two processes. Codes alone: otp-races.test.ts. */

const mail = await sharedMail();
const { arena, top } = races(mail.env);

const MANY = 10;
const many = (call: (i: number) => Call): Call[] => Array.from({ length: MANY }, (_, i) => call(i));

/** One is answered, and the others are told why not. */
function oneWins(answers: readonly Answer[], why: RegExp): Answer {
  const won = answers.filter(({ status }) => status === 200);
  assert.equal(won.length, 1, answers.map(({ status, text }) => `${status} ${text.slice(0, 200)}`).join('\n'));
  for (const answer of answers) if (answer.status !== 200) refused(answer, [400, 'REQUEST_INVALID', why]);
  return won[0]!;
}

test('one code of INIT_OTP_AUTH, right each time: one gets a credential', async () => {
  const here = await arena();
  const [client] = here.clients;
  const userEmail = 'auth@example.com';
  resultOf(await client!.submit('UPDATE_USER_EMAIL', { userId: here.userId, userEmail }), 'updateUserEmailResult');
  const asked = await client!.submit('INIT_OTP_AUTH_V3', ask(userEmail));
  const auth = { otpId: resultOf(asked, 'initOtpAuthResultV2').otpId, otpCode: await mail.nextCode(userEmail) };
  const answers = await atOnce(
    here,
    many(() => ['OTP_AUTH', { ...auth, targetPublicKey: generateP256KeyPair().publicKeyUncompressed }]),
  );
  oneWins(answers, /^Invalid OTP code/);
});

test('one token: once for a change of a contact, once for a login, once for a sign-up', async () => {
  const used = /was already used for this/;
  const here = await arena();
  const { userId } = here;
  const userEmail = 'token@example.com';
  const keys = newKeys();
  const token = await tokenFor(here.clients[0]!, mail, userEmail, keys);
  const change = many((): Call => ['UPDATE_USER_EMAIL', { userId, userEmail, verificationToken: token }]);
  oneWins(await atOnce(here, change), used);
  const logins = await atOnce(
    here,
    many(() => ['OTP_LOGIN_V2', login(token, keys, newKeys())]),
  );
  const { session } = resultOf(oneWins(logins, used), 'otpLoginResult');
  const kept = await here.clients[0]!.query('get_api_keys', { userId });
  const sessions = kept.body.apiKeys.filter(
    ({ credential }: { credential: { type: string } }) => credential.type === 'CREDENTIAL_TYPE_LOGIN',
  );
  assert.deepEqual(
    sessions.map(({ credential }: { credential: { publicKey: string } }) => credential.publicKey),
    [claimsOf(session).public_key],
  );

  const above = await top();
  const signUp = await tokenFor(above.clients[0]!, mail, 'new@example.com', keys);
  const made = await atOnce(
    above,
    many(() => {
      const apiKeys = [apiKey(newKeys())];
      const user = { userName: 'New', userEmail: 'new@example.com', apiKeys, authenticators: [], oauthProviders: [] };
      const about = { email: 'new@example.com', apiKeys, authenticators: [], oauthProviders: [] };
      const clientSignature = signUpSignature(keys, claimsOf(signUp).id, about);
      const organization = { subOrganizationName: 'New', rootQuorumThreshold: 1, rootUsers: [user] };
      return ['CREATE_SUB_ORGANIZATION_V8', { ...organization, verificationToken: signUp, clientSignature }];
    }),
  );
  const { subOrganizationId } = resultOf(oneWins(made, used), 'createSubOrganizationResultV8');
  const found = await above.clients[0]!.query('list_suborgs', { filterType: 'EMAIL', filterValue: 'new@example.com' });
  assert.deepEqual(found.body.organizationIds, [subOrganizationId]);
});

test('logins by stamp: each is made, and ten are left', async () => {
  const here = await arena();
  const { userId } = here;
  const sessions = Array.from({ length: 25 }, newKeys);
  const answers = await atOnce(
    here,
    sessions.map(({ publicKey }): Call => ['STAMP_LOGIN', { publicKey }]),
  );
  for (const answer of answers) resultOf(answer, 'stampLoginResult');
  const keysOf = async (): Promise<string[]> => {
    const { apiKeys } = (await here.clients[0]!.query('get_api_keys', { userId })).body;
    return apiKeys.map(({ credential }: { credential: { publicKey: string } }) => credential.publicKey);
  };
  const left = (await keysOf()).filter((key) => sessions.some(({ publicKey }) => publicKey === key));
  assert.equal(left.length, 10);
  assert.equal((await keysOf()).length, 11, 'the key that stamped stays');
  const [same] = sessions;
  const again = await atOnce(
    here,
    many((i) => ['STAMP_LOGIN', { publicKey: same!.publicKey, expirationSeconds: `${600 + i}` }]),
  );
  for (const answer of again) resultOf(answer, 'stampLoginResult');
  assert.equal((await keysOf()).filter((key) => key === same!.publicKey).length, 1);
  assert.equal((await keysOf()).length, 11);
});

test('one link adds one passkey', async () => {
  const here = await arena();
  const { userId } = here;
  const keys = newKeys();
  const login = { publicKey: keys.publicKey, sessionProfileId: ENROL_PROFILE.id };
  resultOf(await here.clients[0]!.submit('STAMP_LOGIN', login), 'stampLoginResult');
  const answers = await atOnce(
    { userId, clients: here.clients.map((client) => client.as(keys)) },
    many((): Call => ['CREATE_AUTHENTICATORS_V2', { userId, authenticators: [new SoftAuthenticator().register()] }]),
  );
  const won = answers.filter(({ status }) => status === 200);
  assert.equal(won.length, 1, answers.map(({ status, text }) => `${status} ${text.slice(0, 200)}`).join('\n'));
  for (const answer of answers)
    if (answer.status !== 200) refused(answer, [401, 'PUBLIC_KEY_NOT_FOUND', /could not find public key/]);
  const { authenticators } = (await here.clients[0]!.query('get_authenticators', { userId })).body;
  assert.equal(authenticators.length, 1);
});
