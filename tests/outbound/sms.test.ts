import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { twilio } from '../../src/outbound/sms-twilio.ts';
import { parseWebhookSecret, smsWebhook } from '../../src/outbound/sms-webhook.ts';
import { SendError } from '../../src/outbound/types.ts';

type Asked = { path: string; method: string; headers: IncomingMessage['headers']; body: string };
type Answer = { status: number; body?: string; headers?: Record<string, string> };

let server: Server;
let base: string;
let asked: Asked[] = [];
let answer: Answer;

before(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const { url, method, headers } = request;
      asked.push({ path: url!, method: method!, headers, body: Buffer.concat(parts).toString() });
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = [];
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const ACCOUNT = `AC${'0'.repeat(32)}`;
const sms = { id: 'message-1', to: '+14155550100', text: 'Acme: code: 123456 & more +', code: '123456' };
const ours = (more: object = {}) =>
  twilio({ accountSid: ACCOUNT, authToken: 'token', from: '+14155550199', baseUrl: base, ...more });

const fails = (sending: Promise<unknown>, permanent: boolean, text: RegExp) =>
  assert.rejects(sending, (error) => {
    assert.ok(error instanceof SendError, String(error));
    assert.match(error.message, text);
    assert.equal(error.permanent, permanent, error.message);
    assert.ok(!error.message.includes('token'));
    return true;
  });

test('Twilio is asked as its documentation says', async () => {
  answer = { status: 201, body: JSON.stringify({ sid: 'SM1', status: 'queued', error_code: null }) };
  assert.deepEqual(await ours().send(sms), { response: 'queued SM1' });
  const [one] = asked;
  assert.deepEqual([one!.method, one!.path], ['POST', `/2010-04-01/Accounts/${ACCOUNT}/Messages.json`]);
  assert.equal(one!.headers.authorization, `Basic ${Buffer.from(`${ACCOUNT}:token`).toString('base64')}`);
  assert.equal(one!.headers['content-type'], 'application/x-www-form-urlencoded');
  assert.deepEqual(Object.fromEntries(new URLSearchParams(one!.body)), { To: sms.to, From: '+14155550199', Body: sms.text });
  const service = `MG${'1'.repeat(32)}`;
  await ours({ from: service }).send(sms);
  assert.equal(new URLSearchParams(asked[1]!.body).get('MessagingServiceSid'), service);
  assert.equal(new URLSearchParams(asked[1]!.body).get('From'), null);
});

test('what Twilio says of a message is for good, what it says of us, or of itself, is not', async () => {
  const body = JSON.stringify({ code: 21211, message: "The 'To' number is not a valid phone number.", status: 400 });
  answer = { status: 400, body };
  await fails(ours().send(sms), true, /^HTTP 400 21211 The 'To' number/);
  for (const status of [401, 403, 404, 429, 500, 503]) {
    answer = { status, body: '<html>' };
    await fails(ours().send(sms), false, new RegExp(`^HTTP ${status}`));
  }
  answer = { status: 307, headers: { location: `${base}/elsewhere` } };
  await fails(ours().send(sms), false, /^HTTP 307/);
  assert.ok(!asked.some(({ path }) => path === '/elsewhere'), 'redirects are not followed');
  await fails(ours({ baseUrl: 'http://127.0.0.1:1' }).send(sms), false, /^no answer: /);
});

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

test('a webhook gets a signed body, by which it knows it and each repetition', async () => {
  answer = { status: 204 };
  const secret = parseWebhookSecret(SECRET)!;
  const texter = smsWebhook({ url: `${base}/sms?a=1`, secret }, () => 1_700_000_000_999);
  assert.deepEqual(await texter.send(sms), { response: 'HTTP 204' });
  const [one] = asked;
  assert.deepEqual([one!.method, one!.path], ['POST', '/sms?a=1']);
  assert.deepEqual(JSON.parse(one!.body), { type: 'sms', id: 'message-1', to: sms.to, text: sms.text });
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = one!.headers;
  assert.deepEqual([id, time], ['message-1', '1700000000']);
  const expected = createHmac('sha256', Buffer.alloc(32, 7)).update(`${id}.${time}.${one!.body}`).digest('base64');
  assert.equal(signature, `v1,${expected}`);
});

test('a webhook refuses for good with 400, 410 and 422 alone', async () => {
  const texter = smsWebhook({ url: base, secret: parseWebhookSecret(SECRET)! }, () => 0);
  for (const [status, permanent] of [
    [400, true],
    [410, true],
    [422, true],
    [401, false],
    [404, false],
    [429, false],
    [500, false],
    [302, false],
  ] as const) {
    answer = { status };
    await fails(texter.send(sms), permanent, new RegExp(`^HTTP ${status}$`));
  }
  texter.close();
  await fails(texter.send(sms), false, /^no answer/);
});

test('a webhook’s secret has at least 24 bytes', () => {
  for (const bad of [
    '',
    'whsec_',
    'secret',
    `whsec_${Buffer.alloc(23).toString('base64')}`,
    `whsec_${Buffer.alloc(65).toString('base64')}`,
    'whsec_***',
  ])
    assert.equal(parseWebhookSecret(bad), undefined, bad);
  assert.equal(parseWebhookSecret(SECRET)?.length, 32);
});
