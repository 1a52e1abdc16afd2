import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { enabledProxy, type TestProxy } from '../../support/auth-proxy.ts';
import { type Answer, post, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';

const instance = await sharedInstance();
const PATH = '/v1/wallet_kit_config';
const APP = 'https://app.example.com';
const CONFIG = 'X-Auth-Proxy-Config-ID';
let proxy: TestProxy;

before(async () => {
  proxy = await enabledProxy(instance.root);
});

const ask = (headers: Record<string, string>, body = '{}'): Promise<Answer> => post(instance.url + PATH, body, headers);

test('a request names its configuration; unknown ones and those that are off are answered alike', async () => {
  const right = await ask({ 'x-auth-proxy-config-id': proxy.configId.toUpperCase() });
  assert.equal(right.status, 200, right.text);
  assert.equal(right.headers.get('content-type'), 'application/json');
  assert.match(right.headers.get('x-request-id') ?? '', /^[\w-]{36}$/);
  refused(await ask({}), [400, 'REQUEST_INVALID', /^X-Auth-Proxy-Config-ID header is required/], CONFIG);
  for (const wrong of ['', 'none', `${proxy.configId}, ${proxy.configId}`, `${proxy.configId}0`])
    refused(
      await ask({ 'x-auth-proxy-config-id': wrong }),
      [400, 'REQUEST_INVALID', /^X-Auth-Proxy-Config-ID header must be/],
      CONFIG,
    );
  const unknown = await ask({ 'x-auth-proxy-config-id': NOBODY });
  refused(unknown, [404, 'UNSPECIFIED', /^no auth proxy found/]);
  resultOf(await instance.root.submit('DISABLE_AUTH_PROXY', {}), 'disableAuthProxyResult');
  const off = await ask({ 'x-auth-proxy-config-id': proxy.configId });
  assert.equal(off.text, unknown.text);
  assert.equal(off.status, 404);
  proxy = await enabledProxy(instance.root);
});

test('pages of allowed origins may ask, and read the answer; programs without an origin may too', async () => {
  const from = (origin: string | undefined) => proxy.ask('wallet_kit_config', {}, origin === undefined ? {} : { origin });
  for (const origin of [APP, 'https://anything.example', 'null']) {
    const answer = await from(origin);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('access-control-allow-origin'), origin);
    assert.equal(answer.headers.get('vary'), 'Origin');
  }
  await proxy.set({ allowedOrigins: [APP, 'https://second.example.com'] });
  const allowed = await from(APP);
  assert.deepEqual([allowed.status, allowed.headers.get('access-control-allow-origin')], [200, APP]);
  assert.match(allowed.headers.get('access-control-expose-headers') ?? '', /Retry-After/);
  for (const origin of [`${APP}.evil.example`, `${APP}:8443`, 'http://app.example.com', 'null', '*']) {
    const answer = await from(origin);
    refused(answer, [403, 'FORBIDDEN', /^origin not allowed: /]);
    assert.equal(answer.headers.get('access-control-allow-origin'), null, 'no page may read it');
    assert.equal(answer.headers.get('vary'), 'Origin');
  }
  assert.equal((await from(undefined)).status, 200);
  const wrong = await proxy.ask('account', { filterType: 'EMAIL' }, { origin: APP });
  assert.equal(wrong.status, 400);
  assert.equal(wrong.headers.get('access-control-allow-origin'), APP, 'errors too are for the page that asked');
  await proxy.set({ allowedOrigins: ['*'] });
});

test('a preflight is answered for every origin: it carries no configuration', async () => {
  await proxy.set({ allowedOrigins: [APP] });
  for (const origin of [APP, 'https://stranger.example']) {
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-auth-proxy-config-id,x-captcha-token',
    };
    const answer = await fetch(instance.url + PATH, { method: 'OPTIONS', headers });
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    assert.match(answer.headers.get('access-control-allow-headers') ?? '', /X-Auth-Proxy-Config-ID, X-Captcha-Token/);
    assert.match(answer.headers.get('access-control-allow-methods') ?? '', /POST/);
  }
  await proxy.set({ allowedOrigins: ['*'] });
});

test('bodies are held to the rules of operations', async () => {
  const headers = { 'x-auth-proxy-config-id': proxy.configId };
  for (const [body, text] of [
    ['', /it is empty/],
    ['[]', /must be a JSON object/],
    ['{', /bad request body/],
    ['{"filterType":"EMAIL","filterType":"EMAIL"}', /bad request body/],
    [`{"a":${'['.repeat(80)}${']'.repeat(80)}}`, /bad request body/],
  ] as const)
    refused(await post(`${instance.url}/v1/account`, body, headers), [400, 'REQUEST_INVALID', text]);
  assert.equal((await ask(headers, '')).status, 200, 'the published client sends no body here');
  const large = await ask(headers, `{"a":"${'x'.repeat(1024 * 1024)}"}`);
  assert.equal(large.status, 413, large.text);
  const odd = await ask(headers, '{"unknown":1}');
  assert.deepEqual([odd.status, odd.headers.get('x-ignored-fields')], [200, 'unknown']);
});

test('only POST, and paths that are there', async () => {
  const read = await fetch(instance.url + PATH);
  assert.deepEqual([read.status, read.headers.get('allow')], [405, 'POST, OPTIONS']);
  refused(await post(`${instance.url}/v1/acount`, '{}'), [404, 'UNSPECIFIED', /did you mean \/v1\/account\?/]);
});

test('requests are measured and logged as operations are', async () => {
  await ask({});
  await proxy.ask('otp_init', { otpType: 'OTP_TYPE_EMAIL', contact: 'measured@example.com' });
  instance.clock.advance(2000);
  const page = await (await fetch(`${instance.url}/metrics`)).text();
  assert.match(page, /countersign_http_request_seconds_count\{path="\/v1\/wallet_kit_config",status="200"\} \d/);
  assert.match(page, /countersign_activities_total\{kind="INIT_OTP",status="ACTIVITY_STATUS_COMPLETED"\} \d/);
  assert.match(page, /countersign_refusals_total\{type="wallet_kit_config",status="400",code="REQUEST_INVALID"\} \d/);
});
