import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { claimsOf, invalidCode, login, otherThan, sealed, stampsAs } from '../activities/otp/support.ts';
import { signUpSignature } from '../activities/tokens.ts';
import { enabledProxy, type TestProxy } from '../support/auth-proxy.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { type Answer, apiKey, type Client, type Keys, newKeys, post, resultOf } from '../support/client.ts';
import { sharedMail } from '../support/mail.ts';
import { sharedIssuer } from '../support/oidc.ts';
import { nonceOf } from '../support/published.ts';
import { refused } from '../support/refusals.ts';
import { races } from './races.ts';

const CODES = 24;
const GUESSES = 30;
const SIGN_UPS = 60;

const mail = await sharedMail();
const { issuer, env } = await sharedIssuer();
const race = races({
  ...mail.env,
  ...env,
  LIMIT_OTP_INITIATIONS_OF_ADDRESS: String(CODES),
  LIMIT_OTP_VERIFICATIONS_OF_ADDRESS: String(GUESSES),
  LIMIT_SIGNUPS_OF_ADDRESS: String(SIGN_UPS),
  TRUSTED_PROXIES: '127.0.0.1',
});

const EMAIL = 'OTP_TYPE_EMAIL';
const NONE = { apiKeys: [] as object[], authenticators: [] as object[], oauthProviders: [] as object[] };
const MANY = 8;

let clients: readonly Client[];
let proxy: TestProxy;

let addresses = 0;
/** A client at its own address, whose limits no other client uses. */
const newAddress = () => `198.51.100.${++addresses}`;

const askAt = (client: Client, address: string, name: string, body: object): Promise<Answer> =>
  post(`${client.url}/v1/${name}`, JSON.stringify(body), {
    'x-auth-proxy-config-id': proxy.configId,
    'x-forwarded-for': address,
  });

/** By turns at each process. */
const atOnce = (address: string, name: string, bodies: readonly object[]): Promise<Answer[]> =>
  Promise.all(bodies.map((body, i) => askAt(clients[i % clients.length]!, address, name, body)));

const many = (body: (i: number) => object, count = MANY): object[] => Array.from({ length: count }, (_, i) => body(i));

const textOf = (answers: readonly Answer[]) => answers.map(({ status, text }) => `${status} ${text.slice(0, 300)}`).join('\n');
const wonOf = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200);

async function ok(asked: Promise<Answer>) {
  const answer = await asked;
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** One is answered, and the others are told why not. */
function oneWins(answers: readonly Answer[], why: RegExp) {
  const won = wonOf(answers);
  assert.equal(won.length, 1, textOf(answers));
  for (const answer of answers) if (answer.status !== 200) refused(answer, [400, 'REQUEST_INVALID', why]);
  return won[0]!.body;
}

async function tokenFor(contact: string, keys: Keys): Promise<string> {
  const address = newAddress();
  const initiated = await ok(askAt(clients[0]!, address, 'otp_init_v2', { otpType: EMAIL, contact }));
  const guess = await sealed(clients[0]!, await mail.nextCode(contact), initiated, keys.publicKey);
  return (await ok(askAt(clients.at(-1)!, address, 'otp_verify_v2', guess))).verificationToken;
}

function signUpBy(contact: string, token: string, keys: Keys) {
  const about = { apiKeys: [], authenticators: [], oauthProviders: [], email: contact };
  const clientSignature = signUpSignature(keys, claimsOf(token).id, about);
  return { ...NONE, userEmail: contact, verificationToken: token, clientSignature };
}

async function accountsOf(filterType: string, filterValue: string): Promise<string[]> {
  return (await clients[0]!.query('list_suborgs', { filterType, filterValue })).body.organizationIds;
}

const FULL: [number, string, RegExp] = [429, 'RATE_LIMIT_EXCEEDED', /./];

describe('many strangers at once at the auth proxy, on PostgreSQL at two processes', () => {
  before(async () => {
    ({ clients } = await race.top());
    proxy = await enabledProxy(clients[0]!);
  });

  test('a code is good once, and three wrong ones lock it, at whichever process', async () => {
    const contact = 'once@example.com';
    const address = newAddress();
    const { otpId } = await ok(askAt(clients[0]!, address, 'otp_init', { otpType: EMAIL, contact }));
    const otpCode = await mail.nextCode(contact);
    const answers = await atOnce(
      address,
      'otp_verify',
      many(() => ({ otpId, otpCode })),
    );
    assert.equal(wonOf(answers).length, 1, textOf(answers));
    for (const answer of answers) if (answer.status !== 200) invalidCode(answer, 'otpCode');

    const again = await ok(askAt(clients[0]!, address, 'otp_init', { otpType: EMAIL, contact }));
    const right = await mail.nextCode(contact);
    const guesses = many((i) => ({ otpId: again.otpId, otpCode: otherThan(right, 1 + i) }));
    for (const answer of await atOnce(address, 'otp_verify', guesses)) invalidCode(answer, 'otpCode');
    for (const client of clients)
      invalidCode(await askAt(client, address, 'otp_verify', { otpId: again.otpId, otpCode: right }), 'otpCode');
    const [row] = await race.raw('SELECT misses FROM otps WHERE id = $1', again.otpId);
    assert.equal(Number(row!.misses), 3);
  });

  test('a token signs up one person and logs them in once', async () => {
    const contact = 'token@example.com';
    const keys = newKeys();
    const token = await tokenFor(contact, keys);
    const answers = await atOnce(
      newAddress(),
      'signup_v2',
      many(() => signUpBy(contact, token, keys)),
    );
    const { organizationId, userId } = oneWins(answers, /was already used for this|is the email of an existing account/);
    assert.deepEqual(await accountsOf('EMAIL', contact), [organizationId]);

    const sessions = Array.from({ length: MANY }, newKeys);
    const logins = await atOnce(
      newAddress(),
      'otp_login_v2',
      sessions.map((session) => login(token, keys, session)),
    );
    const { session } = oneWins(logins, /was already used for this/);
    const own = clients.at(-1)!.as(keys, organizationId);
    await stampsAs(own, sessions.find(({ publicKey }) => publicKey === claimsOf(session).public_key)!, userId);
  });

  test('two sign-ups by one token of a contact, one key, one passkey or one account elsewhere make one user', async () => {
    const contact = 'twice@example.com';
    const tokens: object[] = [];
    for (let i = 0; i < 3; i++) {
      const keys = newKeys();
      tokens.push(signUpBy(contact, await tokenFor(contact, keys), keys));
    }
    oneWins(await atOnce(newAddress(), 'signup_v2', tokens), /userEmail: is the email of an existing account/);
    assert.equal((await accountsOf('EMAIL', contact)).length, 1);

    const keys = newKeys();
    const byKey = many(() => ({ ...NONE, apiKeys: [apiKey(keys)] }));
    oneWins(await atOnce(newAddress(), 'signup', byKey), /is a key of an existing account/);
    assert.equal((await accountsOf('PUBLIC_KEY', keys.publicKey)).length, 1);

    const passkey = new SoftAuthenticator();
    const byPasskey = many(() => ({ ...NONE, authenticators: [passkey.register()] }));
    oneWins(await atOnce(newAddress(), 'signup_v2', byPasskey), /is a passkey of an existing account/);

    const provider = () => ({ providerName: 'Issuer', oidcToken: issuer.signNow({ sub: 'twice' }) });
    const byAccount = await atOnce(
      newAddress(),
      'signup_v2',
      many(() => ({ ...NONE, oauthProviders: [provider()] })),
    );
    assert.equal(wonOf(byAccount).length, 1, textOf(byAccount));
    for (const answer of byAccount) if (answer.status !== 200) refused(answer, [400, 'OAUTH_PROVIDER_ALREADY_EXISTS', /./]);
    const { organizationId } = wonOf(byAccount)[0]!.body;

    const logins = Array.from({ length: MANY }, newKeys);
    const answers = await atOnce(
      newAddress(),
      'oauth_login',
      logins.map(({ publicKey }) => ({ oidcToken: issuer.signNow({ sub: 'twice', nonce: nonceOf(publicKey) }), publicKey })),
    );
    assert.equal(wonOf(answers).length, MANY, textOf(answers));
    for (const session of logins) assert.equal((await clients.at(-1)!.as(session, organizationId).query('whoami')).status, 200);
  });

  test('forty people sign up at once, and each has an account', async () => {
    const people = Array.from({ length: 40 }, newKeys);
    const answers = await atOnce(
      newAddress(),
      'signup_v2',
      people.map((keys) => ({ ...NONE, apiKeys: [apiKey(keys)] })),
    );
    assert.equal(wonOf(answers).length, people.length, textOf(answers));
    const organizations = new Set(answers.map(({ body }) => body.organizationId));
    assert.equal(organizations.size, people.length);
    for (const [i, keys] of people.entries()) {
      const { organizationId, userId } = answers[i]!.body;
      await stampsAs(clients[(i + 1) % clients.length]!.as(keys, organizationId), keys, userId);
    }
  });

  test('limits of an address are shared: no more than the allowed number sign up, ask for codes and guess', async () => {
    const address = newAddress();
    const signUps = many(() => ({ ...NONE, apiKeys: [apiKey(newKeys())] }), SIGN_UPS + 12);
    const codes = many((i) => ({ otpType: EMAIL, contact: `address-${i}@example.com` }), CODES + 12);
    const unknown = crypto.randomUUID();
    const guesses = many(() => ({ otpId: unknown, otpCode: '000000000' }), GUESSES + 12);
    for (const [name, bodies, most] of [
      ['signup_v2', signUps, SIGN_UPS],
      ['otp_init_v2', codes, CODES],
      ['otp_verify', guesses, GUESSES],
    ] as const) {
      const answers = await atOnce(address, name, bodies);
      const over = answers.filter(({ status }) => status === 429);
      assert.equal(over.length, bodies.length - most, `${name}\n${textOf(answers)}`);
      for (const answer of over) refused(answer, FULL);
      for (const answer of answers) assert.ok([200, 400, 429].includes(answer.status), answer.text);
      for (const client of clients) refused(await askAt(client, address, name, bodies[0]!), FULL);
      assert.notEqual((await askAt(clients[0]!, newAddress(), name, bodies.at(-1)!)).status, 429, 'another address');
    }
  });

  test("an administrator's change at one process holds at the other immediately", async () => {
    const [first, other] = [clients[0]!, clients.at(-1)!];
    const address = newAddress();
    const wanted = (i: number) => ({ ...NONE, apiKeys: [apiKey(newKeys())], userName: `Changed ${i}` });
    for (let round = 0; round < 5; round++) {
      await ok(askAt(other, address, 'signup_v2', wanted(round)));
      resultOf(
        await first.submit('UPDATE_AUTH_PROXY_CONFIG', { allowedAuthMethods: ['passkey'] }),
        'updateAuthProxyConfigResult',
      );
      refused(await askAt(other, address, 'signup_v2', wanted(round)), [403, 'REQUEST_NOT_AUTHORIZED', /wallet is not among/]);
      const both = { allowedAuthMethods: ['passkey', 'wallet'] };
      resultOf(await first.submit('UPDATE_AUTH_PROXY_CONFIG', both), 'updateAuthProxyConfigResult');
      await ok(askAt(other, address, 'signup_v2', wanted(round)));
      resultOf(await first.submit('DISABLE_AUTH_PROXY', {}), 'disableAuthProxyResult');
      refused(await askAt(other, address, 'signup_v2', wanted(round)), [404, 'UNSPECIFIED', /names no enabled configuration/]);
      resultOf(await other.submit('ENABLE_AUTH_PROXY', {}), 'enableAuthProxyResult');
      await ok(askAt(first, address, 'wallet_kit_config', {}));
    }
  });
});
