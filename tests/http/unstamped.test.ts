import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { sharedInstance } from '../support/instance.ts';

/** How many refusals there were for a reason. */
async function refusals(url: string, code: string): Promise<number> {
  // The page is kept for a moment.
  instance.clock.advance(10_000);
  const page = await (await fetch(`${url}/metrics`)).text();
  const lines = page.split('\n').filter((line) => line.startsWith('countersign_refusals_total') && line.includes(`"${code}"`));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const BURST = 5;
/** So slow that no test is slower. */
const instance = await sharedInstance({ RATE_UNSTAMPED: `0.001/${BURST}`, TRUSTED_PROXIES: '127.0.0.1' });
const PATH = '/public/v1/query/whoami';

type Headers = Record<string, string>;
let clients = 0;
/** Each test comes from an address of its own. */
const fresh = (): string => `198.51.100.${++clients}`;
const post = (from: string, { path = PATH, headers = {}, body = '{}', method = 'POST' } = {}) =>
  fetch(`${instance.url}${path}`, {
    method,
    headers: { 'x-forwarded-for': from, ...(headers as Headers) },
    ...(method === 'POST' ? { body } : {}),
  });
const drain = async (from: string, path?: string) => {
  for (let i = 0; i < BURST; i++) await (await post(from, path === undefined ? {} : { path })).arrayBuffer();
};

test('after the burst comes 429 with the wire’s error, and when to come again', async () => {
  const from = fresh();
  for (let i = 1; i <= BURST; i++) {
    const answer = await post(from);
    assert.equal(answer.status, 400);
    assert.deepEqual([answer.headers.get('ratelimit-limit'), answer.headers.get('ratelimit-remaining')], ['5', `${BURST - i}`]);
    await answer.arrayBuffer();
  }
  const answer = await post(from);
  assert.equal(answer.status, 429);
  const { headers } = answer;
  assert.deepEqual([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')], ['5', '0']);
  assert.match(headers.get('retry-after')!, /^(9\d\d|1000)$/);
  assert.match(headers.get('x-request-id')!, /^[0-9a-f-]{36}$/);
  assert.match(headers.get('access-control-expose-headers')!, /Retry-After/);
  assert.deepEqual(await answer.json(), {
    code: 8,
    message: 'Too many requests. Please wait and try again in a few seconds',
    details: [{ '@type': 'type.googleapis.com/errors.v1.TurnkeyErrorDetail', turnkeyErrorCode: 'RATE_LIMIT_EXCEEDED' }],
  });
  instance.clock.advance(1_000_000);
  assert.equal((await post(from)).status, 400);
  assert.equal((await post(from)).status, 429);
});

test('each address has its own, and all paths of an address share it', async () => {
  const from = fresh();
  await drain(from, '/v1/otp_init');
  assert.equal((await post(from)).status, 429);
  assert.equal((await post(from, { path: '/no/such/path' })).status, 429);
  assert.equal((await post(from, { path: '/v1/account' })).status, 429);
  assert.equal((await post(fresh())).status, 400);
});

test('an IPv6 network has one, in whatever way its addresses are written', async () => {
  await drain('2001:db8:0:0:1::1');
  for (const from of ['2001:db8::2', '2001:DB8:0::0003', '[2001:db8::4]:4711'])
    assert.equal((await post(from)).status, 429, from);
  assert.equal((await post('2001:db8:0:1::1')).status, 400);
});

test('an address that the client says itself counts for nothing', async () => {
  const from = fresh();
  await drain(from);
  for (let i = 0; i < 3; i++) assert.equal((await post(`203.0.113.${i}, ${from}`)).status, 429);
});

test('reading, preflights, and what carries a stamp or a session are not limited; on public paths a stamp changes nothing', async () => {
  const from = fresh();
  await drain(from);
  const headers = { 'x-forwarded-for': from };
  for (const path of ['/health', '/ready', '/metrics', '/docs', '/.well-known/openid-configuration', PATH])
    assert.notEqual((await fetch(`${instance.url}${path}`, { headers })).status, 429, path);
  assert.equal((await post(from, { method: 'OPTIONS' })).status, 204);
  assert.equal((await post(from, { method: 'OPTIONS', path: '/v1/account' })).status, 204);
  for (const name of ['x-stamp', 'x-stamp-webauthn', 'x-stamp-attested', 'x-session']) {
    const given = await post(from, { headers: { [name]: 'something' } });
    assert.ok(given.status < 429, `${name}: ${given.status}`);
    assert.equal(given.headers.get('ratelimit-limit'), null);
    assert.equal((await post(from, { headers: { [name]: '' } })).status, 429, `an empty ${name}`);
    assert.equal((await post(from, { path: '/v1/account', headers: { [name]: 'something' } })).status, 429, `${name} on /v1`);
  }
  const { status } = await instance.root.query('whoami');
  assert.equal(status, 200);
});

test('nothing of the body is waited for, and a large one ends its connection', async () => {
  const from = fresh();
  await drain(from);
  const head = (length: number) =>
    `POST ${PATH} HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: ${from}\r\ncontent-length: ${length}\r\n\r\n`;
  for (const [length, ends] of [
    [100, false],
    [1_000_000, true],
  ] as const) {
    const socket = connect(Number(new URL(instance.url).port), '127.0.0.1');
    socket.write(head(length));
    const text = await new Promise<string>((done) => socket.once('data', (bytes) => done(bytes.toString())));
    assert.match(text, /^HTTP\/1\.1 429 /);
    assert.equal(/connection: close/i.test(text), ends);
    socket.destroy();
  }
});

test('a limited request is counted, and answered on the same connection', async () => {
  const from = fresh();
  await drain(from);
  const before = await refusals(instance.url, 'RATE_LIMIT_EXCEEDED');
  const { port } = new URL(instance.url);
  const statuses = await new Promise<number[]>((done, fail) => {
    const found: number[] = [];
    const next = () => {
      if (found.length === 3) return done(found);
      const asked = httpRequest(
        { port, method: 'POST', path: PATH, headers: { 'x-forwarded-for': from, 'content-length': 2 } },
        (answer) => {
          found.push(answer.statusCode!);
          answer.resume().on('end', next);
        },
      );
      asked.on('error', fail).end('{}');
    };
    next();
  });
  assert.deepEqual(statuses, [429, 429, 429]);
  assert.equal((await refusals(instance.url, 'RATE_LIMIT_EXCEEDED')) - before, 3);
});
