import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, beforeEach, test } from 'node:test';
import { ConfigError, readConfig, withoutSecrets } from '../../../src/config.ts';
import { initiateInTheClear, outboxOf } from '../../activities/otp/support.ts';
import { enabledProxy, type TestProxy } from '../../support/auth-proxy.ts';
import { newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance, startInstance } from '../../support/instance.ts';
import { codeIn } from '../../support/mail.ts';
import { startProcess } from '../../support/process.ts';
import { refused } from '../../support/refusals.ts';
import { SITE_KEY, sharedTurnstile } from '../../support/turnstile.ts';

const turnstile = await sharedTurnstile();
const instance = await sharedInstance({ ...turnstile.env, TURNSTILE_HOSTNAMES: 'app.example.com', TRUSTED_PROXIES: '127.0.0.1' });
let proxy: TestProxy;
let contact = '';
let made = 0;

before(async () => {
  proxy = await enabledProxy(instance.root, { captchaEnabled: true });
});
beforeEach(() => {
  contact = `captcha-${++made}@example.com`;
});

const init = (headers: Record<string, string> = {}, name = 'otp_init') =>
  proxy.ask(name, { otpType: 'OTP_TYPE_EMAIL', contact }, headers);

const MISSING = [400, 'REQUEST_INVALID', /^X-Captcha-Token header is required when captcha is enabled$/] as [
  number,
  string,
  RegExp,
];
const FAILED = [403, 'FORBIDDEN', /^captcha verification failed$/] as [number, string, RegExp];

// Before this file's clock goes ahead: bodies of all clients here are dated by the latest.
test('without the operator’s settings a configured captcha admits no request', async (t) => {
  const own = await startInstance();
  t.after(() => own.close());
  const other = await enabledProxy(own.root, { captchaEnabled: true });
  const body = { otpType: 'OTP_TYPE_EMAIL', contact };
  const both: Record<string, string>[] = [{}, { 'x-captcha-token': 'anything' }];
  for (const headers of both)
    refused(await other.ask('otp_init', body, headers), [
      403,
      'FORBIDDEN',
      /^captcha verification failed: .*TURNSTILE_SECRET_KEY/,
    ]);
  assert.deepEqual((await other.ask('wallet_kit_client_params')).body, {});
});

test('a wrong secret admits no request', async (t) => {
  const own = await startInstance({ ...turnstile.env, TURNSTILE_SECRET_KEY: 'wrong', TURNSTILE_ACTION: 'sign-in' });
  t.after(() => own.close());
  const other = await enabledProxy(own.root, { captchaEnabled: true });
  const headers = { 'x-captcha-token': turnstile.token() };
  refused(await other.ask('otp_init', { otpType: 'OTP_TYPE_EMAIL', contact }, headers), FAILED);
});

test('codes and sign-ups need a captcha where the configuration says so', async () => {
  const sent = (await outboxOf(instance.root)).length;
  for (const [name, body] of [
    ['otp_init', { otpType: 'OTP_TYPE_EMAIL', contact }],
    ['otp_init_v2', { otpType: 'OTP_TYPE_EMAIL', contact }],
    ['signup', { apiKeys: [], authenticators: [], oauthProviders: [] }],
    ['signup_v2', { apiKeys: [], authenticators: [], oauthProviders: [] }],
  ] as const) {
    refused(await proxy.ask(name, body), MISSING, 'X-Captcha-Token');
    refused(await proxy.ask(name, body, { 'x-captcha-token': '' }), MISSING);
    refused(await proxy.ask(name, body, { 'x-captcha-token': 'made up' }), FAILED);
  }
  assert.equal((await outboxOf(instance.root)).length, sent, 'nothing was sent');
  const token = turnstile.token();
  const answer = await init({ 'x-captcha-token': token });
  assert.equal(answer.status, 200, answer.text);
  refused(await init({ 'x-captcha-token': token }), FAILED);
  assert.equal((await init({ 'x-captcha-token': turnstile.token() }, 'otp_init_v2')).status, 200);
  assert.equal((await proxy.ask('account', { filterType: 'EMAIL', filterValue: contact })).status, 200, 'no other needs one');
});

test('Turnstile is told where the request comes from, and which question it is', async () => {
  await init({ 'x-captcha-token': turnstile.token(), 'x-forwarded-for': '203.0.113.9' });
  const asked = turnstile.asked.at(-1)!;
  assert.equal(asked.remoteip, '203.0.113.9');
  assert.match(asked.idempotency_key ?? '', /^[0-9a-f-]{36}$/);
  await init({ 'x-captcha-token': turnstile.token(), 'x-forwarded-for': 'nonsense' });
  assert.equal(turnstile.asked.at(-1)!.remoteip, null);
});

test('a token of another page fails, and so does a malformed one, without a request to Turnstile', async () => {
  refused(await init({ 'x-captcha-token': turnstile.token({ hostname: 'evil.example' }) }), FAILED);
  const { length } = turnstile.asked;
  const usual = 'x'.repeat(2048);
  for (const text of [
    `${usual}x`,
    'x'.repeat(15),
    `${'x'.repeat(40)}<`,
    `${'x'.repeat(40)} x`,
    `${'x'.repeat(40)}&secret=x`,
    `${'x'.repeat(40)}%00`,
  ])
    refused(await init({ 'x-captcha-token': text }), FAILED);
  assert.equal(turnstile.asked.length, length);
  for (const text of [usual, 'XXXX.DUMMY.TOKEN.XXXX']) refused(await init({ 'x-captcha-token': text }), FAILED);
  assert.equal(turnstile.asked.length, length + 2);
});

test('a sign-up with a verification token needs none, but a wrong token is no way around', async () => {
  const otpId = await initiateInTheClear(instance.root, contact);
  const [mail] = await outboxOf(instance.root);
  const verified = await instance.root.submit('VERIFY_OTP', { otpId, otpCode: codeIn(mail!.text) });
  const { verificationToken } = resultOf(verified, 'verifyOtpResult');
  const person = (token: string) => {
    const { apiKeys } = userWith('x', [newKeys()]);
    return { userEmail: contact, verificationToken: token, apiKeys, authenticators: [], oauthProviders: [] };
  };
  for (const wrong of ['', 'x', `${verificationToken.slice(0, -8)}AAAAAAAA`])
    refused(await proxy.ask('signup', person(wrong)), MISSING);
  const answer = await proxy.ask('signup', person(verificationToken));
  assert.equal(answer.status, 200, answer.text);
  instance.clock.advance(3_700_000);
  refused(await proxy.ask('signup', person(verificationToken)), MISSING);
});

test('if Turnstile is failing, requests go on and are counted: any other answer without a verdict fails', async () => {
  const unreachable = async () => {
    instance.clock.advance(2000);
    const page = await (await fetch(`${instance.url}/metrics`)).text();
    return Number(/countersign_captchas_total\{outcome="unreachable"\} (\d+)/.exec(page)?.[1] ?? 0);
  };
  const internal = '{"success":false,"error-codes":["internal-error"]}';
  for (const [status, text, letsThrough] of [
    [500, 'out of order', true],
    [503, '<html>', true],
    [408, '', true],
    [429, '{}', true],
    [200, '<html>', false],
    [200, '{}', false],
    [200, '', false],
    [200, internal, false],
    [200, ' '.repeat(100_000), false],
    [302, '', false],
    [403, '<html>', false],
    [404, '{}', false],
  ] as const) {
    const counted = await unreachable();
    turnstile.answer((_request, response) => response.writeHead(status, { location: '/elsewhere' }).end(text));
    const answer = await init({ 'x-captcha-token': turnstile.token() });
    if (letsThrough) assert.equal(answer.status, 200, `${status} ${answer.text}`);
    else refused(answer, FAILED);
    assert.equal(await unreachable(), counted + (letsThrough ? 1 : 0), `${status} ${text}`);
    contact = `captcha-${++made}@example.com`;
  }
  turnstile.answer((request) => request.socket.destroy());
  assert.equal((await init({ 'x-captcha-token': turnstile.token() })).status, 200);
  refused(await init(), MISSING);
  let first = true;
  turnstile.answer((_request, response) => {
    response.writeHead(first ? 502 : 200, { 'content-type': 'application/json' }).end('{"success":false,"error-codes":[]}');
    first = false;
  });
  refused(await init({ 'x-captcha-token': turnstile.token() }), FAILED);
  turnstile.answer(undefined);
});

test('neither tokens nor the secret are logged, whatever becomes of them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-captcha-'));
  const service = await startProcess({ ...turnstile.env, DATA_DIR: folder, LOG_LEVEL: 'debug' });
  await service.ready();
  const other = await enabledProxy(service.root(), { captchaEnabled: true });
  const tokens = [turnstile.token(), 'a-token-that-was-made-up', `long-token-${'x'.repeat(2100)}`, 'a-token-told-to-nobody'];
  const ask = (token: string) => other.ask('otp_init', { otpType: 'OTP_TYPE_EMAIL', contact }, { 'x-captcha-token': token });
  for (const token of tokens.slice(0, 3)) await ask(token);
  turnstile.answer((request) => request.socket.destroy());
  assert.equal((await ask(tokens[3]!)).status, 200);
  turnstile.answer(undefined);
  service.child.kill('SIGTERM');
  await service.exited;
  const log = service.output();
  assert.match(log, /Turnstile is unreachable/);
  for (const secret of [...tokens.map((token) => token.slice(0, 24)), turnstile.env.TURNSTILE_SECRET_KEY!])
    assert.ok(!log.includes(secret), secret);
  rmSync(folder, { recursive: true, force: true });
});

test('pages are told the site key, if they need it', async () => {
  for (const body of ['', '{}']) {
    const answer = await proxy.ask('wallet_kit_client_params', body);
    assert.deepEqual([answer.status, answer.body], [200, { turnstileSiteKey: SITE_KEY }]);
  }
  await proxy.set({ captchaEnabled: false });
  assert.deepEqual((await proxy.ask('wallet_kit_client_params')).body, {});
  assert.equal((await init()).status, 200);
  await proxy.set({ captchaEnabled: true });
});

test('the settings are checked at the start, and shown without the secret', () => {
  const env = { TURNSTILE_SITE_KEY: 'site', TURNSTILE_SECRET_KEY: 'hidden' };
  const shown = withoutSecrets(readConfig({ ...env, TURNSTILE_HOSTNAMES: 'App.example.com, localhost' }));
  assert.deepEqual(
    [shown.TURNSTILE_SITE_KEY, shown.TURNSTILE_SECRET_KEY, shown.TURNSTILE_HOSTNAMES],
    ['site', '***', 'app.example.com,localhost'],
  );
  for (const [wrong, text] of [
    [{ TURNSTILE_SITE_KEY: 'site' }, /set both TURNSTILE_SITE_KEY and TURNSTILE_SECRET_KEY, or neither/],
    [{ TURNSTILE_SECRET_KEY: 'hidden' }, /set both/],
    [{ ...env, TURNSTILE_HOSTNAMES: 'https://a.example' }, /TURNSTILE_HOSTNAMES must be host names/],
    [{ ...env, TURNSTILE_ACTION: 'a b' }, /TURNSTILE_ACTION/],
    [{ ...env, TURNSTILE_URL: 'challenges' }, /TURNSTILE_URL/],
  ] as const)
    assert.throws(
      () => readConfig(wrong),
      (error) => error instanceof ConfigError && text.test(error.message),
    );
  assert.deepEqual(readConfig({ TURNSTILE_ACTION: 'x' }).warnings, ['TURNSTILE_ACTION has no effect without TURNSTILE_SITE_KEY']);
});
