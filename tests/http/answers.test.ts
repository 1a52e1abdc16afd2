/** Whole answers: status, headers in their order, and body, in whatever form a request comes. */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { stampOf } from '../support/client.ts';
import { sharedInstance, startInstance } from '../support/instance.ts';
import { raw } from './raw.ts';

const instance = await sharedInstance();
const { root } = instance;

const WHOAMI = '/public/v1/query/whoami';
const TAG = '/public/v1/submit/create_user_tag';
const MB = 1024 * 1024;

type Answer = { status: number; headers: string[]; body: string };

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function parse(text: string): Answer {
  const end = text.indexOf('\r\n\r\n');
  const [first, ...lines] = text.slice(0, end).split('\r\n') as [string, ...string[]];
  const headers = lines.map((line) => line.replace(/^(Date|content-length): .*/, '$1: N').replace(ID, 'ID'));
  return { status: Number(first.split(' ')[1]), headers, body: text.slice(end + 4).replace(ID, 'ID') };
}

const request = (line: string, headers: string[], body = '') =>
  `${[`${line} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n${body}`;
const chunk = (body: string) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`;

/** The same request in each form that a client may choose. */
function forms(line: string, headers: string[], body: string): Record<string, string> {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const chunked = `Transfer-Encoding: chunked`;
  const half = body.length >> 1;
  return {
    'with its length': request(line, [...headers, length], body),
    'in chunks': request(line, [...headers, chunked], `${chunk(body.slice(0, half))}${chunk(body.slice(half))}0\r\n\r\n`),
    'expecting to continue': request(line, [...headers, length, 'Expect: 100-continue'], body),
    'with an unknown expectation': request(line, [...headers, length, 'Expect: nothing'], body),
    'with another content type': request(line, [...headers, length, 'Content-Type: text/html'], body),
    'with a query': request(`${line}?a=1`, [...headers, length], body),
  };
}

const HEADERS = [
  'content-type: application/json',
  'access-control-allow-origin: *',
  'access-control-expose-headers: X-Request-Id, Retry-After, X-Ignored-Fields, X-Warnings, Date',
  'cache-control: no-store',
  'x-request-id: ID',
  'content-length: N',
  'Date: N',
];
const CLOSED = [...HEADERS, 'Connection: close'];
const REFUSED_UNREAD = ['connection: close', ...HEADERS];

const stamped = (body: string) => `X-Stamp: ${stampOf(root.keys, body)}`;
const who = JSON.stringify({ organizationId: root.organizationId });
const large = JSON.stringify({ organizationId: root.organizationId, é: 'é'.repeat(100_000) });

/** Operations, by what is sent: line, headers, body, and what is answered. */
const OPERATIONS: Record<string, [string, string[], string, number, RegExp, string[]?]> = {
  accepted: [`POST ${WHOAMI}`, [stamped(who)], who, 200, /^\{"organizationId":"ID",.*"username":"Root user"\}$/],
  'accepted, in many packets': [
    `POST ${WHOAMI}`,
    [stamped(large)],
    large,
    200,
    /"username":"Root user"\}$/,
    ['x-ignored-fields: %C3%A9'],
  ],
  'without a stamp': [`POST ${WHOAMI}`, [], who, 401, /"SIGNATURE_MISSING"/],
  'with two stamps': [`POST ${WHOAMI}`, [stamped(who), stamped(who)], who, 401, /"SIGNATURE_INVALID"/],
  'with a stamp of other bytes': [`POST ${WHOAMI}`, [stamped(`${who} `)], who, 401, /could not verify api key signature/],
  malformed: [`POST ${WHOAMI}`, [stamped('{]')], '{]', 400, /not valid JSON at position 1/],
  empty: [`POST ${WHOAMI}`, [], '', 400, /it is empty/],
  'refused by the operation': [`POST ${TAG}`, [stamped(who)], who, 400, /"field":"type"/],
  'an unknown path': ['POST /public/v1/query/whoam', [], who, 404, /did you mean \/public\/v1\/query\/whoami\?/],
  'a path with a slash too many': [`POST ${WHOAMI}/`, [], who, 404, /"ROUTE_NOT_FOUND"/],
  'another method': [`PUT ${WHOAMI}`, [], who, 405, /this path accepts only POST/, ['allow: POST, OPTIONS']],
  'a page': ['POST /docs', [], who, 405, /this path accepts only GET/, ['allow: GET, HEAD, OPTIONS']],
};

for (const [name, [line, headers, body, status, text, more = []]] of Object.entries(OPERATIONS)) {
  test(`${name}: the answer is the same in whatever form the request comes`, async () => {
    for (const [form, bytes] of Object.entries(forms(line, ['Connection: close', ...headers], body))) {
      const { text: said, closed } = await raw(instance.url, bytes);
      const answer = parse(said.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, ''));
      assert.deepEqual([answer.status, answer.headers], [status, [...more, ...CLOSED]], `${form}: ${said.slice(0, 300)}`);
      assert.match(answer.body, text, form);
      assert.ok(closed);
    }
    const [first, ...others] = await Promise.all(
      Object.values(forms(line, ['Connection: close', ...headers], body)).map(async (bytes) => {
        const { text: said } = await raw(instance.url, bytes);
        return parse(said.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')).body;
      }),
    );
    for (const other of others) assert.equal(other, first);
  });
}

test('a body that is too large is refused before it comes, and the connection ends', async () => {
  const tooLarge = [`Content-Length: ${MB + 1}`, 'x'] as const;
  for (const line of [`POST ${WHOAMI}`, 'POST /nothing', `PUT ${WHOAMI}`]) {
    const { text, closed } = await raw(instance.url, request(line, [tooLarge[0]], tooLarge[1]));
    const answer = parse(text);
    assert.deepEqual([answer.status, answer.headers, closed], [413, REFUSED_UNREAD, true]);
    assert.match(answer.body, /larger than 1048576 bytes.*"BODY_TOO_LARGE"/);
  }
});

test('requests without a body: GET, HEAD and OPTIONS', async () => {
  const ask = async (line: string) => parse((await raw(instance.url, request(line, ['Connection: close']))).text);
  const health = await ask('GET /health?a=1');
  assert.deepEqual([health.status, health.headers, health.body], [200, CLOSED, '{"status":"ok"}']);
  assert.deepEqual(await ask('HEAD /health'), { ...health, body: '' });
  const get = await ask(`GET ${WHOAMI}`);
  assert.deepEqual([get.status, get.headers], [405, ['allow: POST, OPTIONS', ...CLOSED]]);
  assert.deepEqual(await ask(`HEAD ${WHOAMI}`), { ...get, body: '' });
  const nothing = await ask('GET /nothing');
  assert.deepEqual([nothing.status, nothing.headers], [404, CLOSED]);
  assert.deepEqual(await ask('HEAD /nothing'), { ...nothing, body: '' });
  const preflight = await ask(`OPTIONS ${WHOAMI}`);
  assert.equal(preflight.status, 204);
  assert.ok(preflight.headers.includes('access-control-allow-methods: GET, POST, OPTIONS'));
  assert.deepEqual(await ask('OPTIONS /nothing'), preflight);
});

test('requests of one connection are answered in their order, and it is kept', async () => {
  const post = (headers: string[]) => request(`POST ${WHOAMI}`, [...headers, `Content-Length: ${who.length}`], who);
  const bytes = [post([stamped(who)]), post([]), request('GET /health', []), post([stamped(who), 'Connection: close'])].join('');
  const { text } = await raw(instance.url, bytes);
  const answers = text.split(/(?=HTTP\/1\.1 )/).map(parse);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 401, 200, 200],
  );
  const kept = [...HEADERS, 'Connection: keep-alive', 'Keep-Alive: timeout=72'];
  for (const { headers } of answers.slice(0, 3)) assert.deepEqual(headers, kept);
  assert.deepEqual(answers[3]!.headers, CLOSED);
});

test('an answer leaves in one write', async (t) => {
  const writes: string[] = [];
  type Prototype = {
    _write(data: unknown, ...more: unknown[]): void;
    _writev(chunks: { chunk: unknown }[], ...more: unknown[]): void;
  };
  const prototype = Socket.prototype as unknown as Prototype;
  const { _write, _writev } = prototype;
  const note = (data: unknown) => void (String(data).startsWith('HTTP/1.1 200') && writes.push(String(data)));
  t.mock.method(prototype, '_write', function (this: unknown, data: unknown, ...more: unknown[]) {
    note(data);
    return _write.call(this, data, ...more);
  });
  t.mock.method(prototype, '_writev', function (this: unknown, chunks: { chunk: unknown }[], ...more: unknown[]) {
    for (const { chunk } of chunks) note(chunk);
    return _writev.call(this, chunks, ...more);
  });
  const ask = [() => root.query('whoami'), () => root.submit('CREATE_USER_TAG', { userTagName: 'é', userIds: [] })];
  for (const one of ask) {
    const { status, body } = await one();
    assert.equal(status, 200);
    assert.equal(writes.length, 1);
    assert.ok(writes.pop()!.endsWith(JSON.stringify(body)), 'head and body');
  }
});

test('a request that meets a service that stops is told to try again, after those before it', async () => {
  const stopping = await startInstance();
  const body = JSON.stringify({ organizationId: stopping.root.organizationId });
  const head = request(`POST ${WHOAMI}`, [`X-Stamp: ${stampOf(stopping.root.keys, body)}`, `Content-Length: ${body.length}`]);
  const { hostname, port } = new URL(stopping.url);
  const socket = new Socket().connect(Number(port), hostname);
  let said = '';
  const first = Promise.withResolvers<void>();
  const ended = new Promise((done) => socket.once('close', done));
  socket.setEncoding('utf8').on('data', (text) => {
    said += text;
    if (said.includes('100 Continue')) first.resolve();
  });
  // The answer to the expectation says that the request has begun.
  socket.write(head.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n'));
  await first.promise;
  const closed = stopping.close();
  socket.write(body + head + body);
  await ended;
  const [, , ...answers] = said.split(/(?=HTTP\/1\.1 )/);
  await closed;
  const [last] = answers.map(parse);
  assert.match(said, /HTTP\/1\.1 200 OK[\s\S]*"username":"Root user"\}HTTP\/1\.1 503/);
  assert.deepEqual([last!.status, last!.headers], [503, ['retry-after: 1', ...REFUSED_UNREAD]]);
  assert.match(last!.body, /"code":14,"message":"the service is stopping: try again"/);
});
