import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { enabledProxy, type TestProxy } from '../../support/auth-proxy.ts';
import { newKeys, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { sharedTurnstile } from '../../support/turnstile.ts';

const turnstile = await sharedTurnstile();
const instance = await sharedInstance({
  ...turnstile.env,
  TRUSTED_PROXIES: '127.0.0.1',
  LIMIT_SIGNUPS_OF_ADDRESS: '2',
  LIMIT_SIGNUPS_OF_ORGANIZATION: '5',
  LIMIT_OTP_INITIATIONS_OF_ADDRESS: '3',
  LIMIT_OTP_VERIFICATIONS_OF_ADDRESS: '4',
});
let proxy: TestProxy;
let people = 0;

before(async () => {
  proxy = await enabledProxy(instance.root);
});

const person = () => ({ ...userWith('x', [newKeys()]), userName: `Person ${++people}` });
const code = () => ({ otpType: 'OTP_TYPE_EMAIL', contact: `person-${++people}@example.com` });
const guess = () => ({ otpId: NOBODY, otpCode: '000000000' });

/** Both paths of each take from one allowance. */
const CASES: readonly [path: string, other: string, body: () => object, most: number, status: number][] = [
  ['signup', 'signup_v2', person, 2, 200],
  ['otp_init', 'otp_init_v2', code, 3, 200],
  ['otp_verify', 'otp_verify', guess, 4, 400],
];

for (const [path, other, body, most, status] of CASES)
  test(`${path}: one address may only so often, and others still may`, async () => {
    const from = (address: string) => ({ origin: 'https://app.example.com', 'x-forwarded-for': address });
    for (let i = 0; i < most; i++) {
      const answer = await proxy.ask(i % 2 === 0 ? path : other, body(), from('203.0.113.1'));
      assert.equal(answer.status, status, answer.text);
    }
    for (const name of [path, other]) {
      const answer = await proxy.ask(name, body(), from('203.0.113.1'));
      refused(answer, [429, 'RATE_LIMIT_EXCEEDED', /^Too many requests\. Please wait and try again in a few seconds/]);
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.equal(answer.headers.get('access-control-allow-origin'), 'https://app.example.com', 'the page may read when');
    }
    assert.equal((await proxy.ask(path, body(), from('203.0.113.2'))).status, status);
  });

test('a malformed request takes no token, and a request over the limit has no captcha checked', async () => {
  const from = { 'x-forwarded-for': '203.0.113.3' };
  for (let i = 0; i < 5; i++) assert.equal((await proxy.ask('otp_init', {}, from)).status, 400);
  await proxy.set({ captchaEnabled: true });
  for (let i = 0; i < 3; i++)
    assert.equal((await proxy.ask('otp_init', code(), { ...from, 'x-captcha-token': turnstile.token() })).status, 200);
  const { length } = turnstile.asked;
  assert.equal((await proxy.ask('otp_init', code(), { ...from, 'x-captcha-token': turnstile.token() })).status, 429);
  assert.equal(turnstile.asked.length, length);
  await proxy.set({ captchaEnabled: false });
});

test('an organization has a limit for sign-ups from all addresses, and only requests that pass the captcha count', async () => {
  await proxy.set({ captchaEnabled: true });
  const signUp = (i: number, more: object = {}) =>
    proxy.ask('signup_v2', person(), { 'x-forwarded-for': `203.0.113.${i}`, ...more });
  for (let i = 100; i < 106; i++) refused(await signUp(i), [400, 'REQUEST_INVALID', /X-Captcha-Token header is required/]);
  const passed = () => ({ 'x-captcha-token': turnstile.token() });
  const first = await signUp(110, passed());
  assert.equal(first.status, 200, first.text);
  let last = first;
  for (let i = 111; last.status === 200 && i < 120; i++) last = await signUp(i, passed());
  refused(last, [429, 'RATE_LIMIT_EXCEEDED', /^Too many requests/]);
  assert.match(last.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  await proxy.set({ captchaEnabled: false });
});

test('a contact has its own limit from whatever address, which the answer tells with when to come again; it leaves no activity', async () => {
  const contact = 'known@example.com';
  const ask = (i: number, name = 'otp_init') =>
    proxy.ask(name, { otpType: 'OTP_TYPE_EMAIL', contact }, { 'x-forwarded-for': `198.51.100.${i}` });
  for (let i = 0; i < 3; i++) assert.equal((await ask(i)).status, 200);
  const before = await instance.raw('SELECT count(*) AS n FROM activities');
  for (const name of ['otp_init', 'otp_init_v2']) {
    const answer = await ask(4, name);
    refused(answer, [429, 'MAX_OTP_INITIATED', /^Max number of OTPs have been initiated/]);
    const wait = Number(answer.headers.get('retry-after'));
    assert.ok(wait > 0 && wait <= 600, `${wait}`);
  }
  assert.deepEqual(await instance.raw('SELECT count(*) AS n FROM activities'), before);
});
