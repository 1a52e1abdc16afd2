import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stampOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { get, raw } from './raw.ts';

const instance = await sharedInstance();

const PAGES = ['/openapi.json', '/console/style.css', '/console/status.js', '/public/v1/discovery/keys'];

const answers = (text: string) => text.split('HTTP/1.1 200').length - 1;

test('of a thousand requests together on one connection at most sixteen are answered', async () => {
  for (const path of [...PAGES, '/metrics', '/health', '/nothing']) {
    const { text, closed } = await raw(instance.url, get(path).repeat(1000), (said) => answers(said) > 16);
    assert.ok(closed && answers(text) <= 16, `${path}: ${answers(text)} answers`);
  }
});

test('of a hundred submits at once on one connection at most sixteen are carried out', async () => {
  const submits = Array.from({ length: 100 }, (_, i) => {
    const body = instance.root.bodyOf('CREATE_USER_TAG', { userTagName: `tag ${i}`, userIds: [] });
    const head = ['POST /public/v1/submit/create_user_tag HTTP/1.1', 'Host: x', `X-Stamp: ${stampOf(instance.root.keys, body)}`];
    return `${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  });
  const { closed } = await raw(instance.url, submits.join(''), (said) => answers(said) > 16);
  assert.ok(closed);
  // They run one after another: this one is decided after the last of the sixteen.
  assert.equal((await instance.root.submit('CREATE_USER_TAG', { userTagName: 'last', userIds: [] })).status, 200);
  const { userTags } = (await instance.root.query('list_user_tags')).body;
  assert.ok(userTags.length <= 17, `${userTags.length} tags`);
});

test('pages are made once, and whoever has one is told so', async () => {
  for (const path of PAGES) {
    const headers = { 'accept-encoding': 'identity' };
    const first = await fetch(instance.url + path, { headers });
    const etag = first.headers.get('etag');
    assert.match(etag ?? '', /^"[\w-]{43}"$/, path);
    assert.equal(first.headers.get('cache-control'), 'no-cache');
    const length = first.headers.get('content-length');
    assert.ok((await first.arrayBuffer()).byteLength >= Number(length) && Number(length) > 0);
    for (const known of [etag!, `"other", W/${etag}`, '*']) {
      const again = await raw(instance.url, get(path, `If-None-Match: ${known}`, 'Connection: close'));
      assert.match(again.text, /^HTTP\/1\.1 304 [\s\S]*\r\n\r\n$/, path);
      assert.ok(again.text.includes(etag!));
    }
    const changed = await fetch(instance.url + path, { headers: { 'if-none-match': '"other"' } });
    assert.equal(changed.status, 200);
    const head = await fetch(instance.url + path, { method: 'HEAD', headers });
    assert.equal(head.headers.get('content-length'), length);
    assert.equal(head.headers.get('etag'), etag);
  }
});

test('metrics are rendered at most once a second', async () => {
  const page = async () => (await fetch(`${instance.url}/metrics`)).text();
  instance.clock.advance(5000);
  const first = await page();
  const shared = await Promise.all(Array.from({ length: 10 }, page));
  // The size of the heap differs at every look. The clock may pass a second in between, but not ten times.
  assert.ok(new Set([first, ...shared]).size < 5);
  instance.clock.advance(1000);
  assert.notEqual(await page(), first);
});

test('a path has one form', async () => {
  for (const path of ['/%6detrics', '/metrics%20', '/public/v1/query/%77hoami', '/%zz', '/metrics#a', '/%']) {
    const { text } = await raw(instance.url, get(path, 'Connection: close'));
    assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"code":3,"message":"bad request: a path must not have %/, path);
    assert.match(text, /x-request-id: [\w-]{36}/);
  }
  for (const path of ['http://a/metrics', 'http:///metrics', '*', 'metrics']) {
    const { text } = await raw(instance.url, get(path, 'Connection: close'));
    assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"code":3,"message":"bad request: /, path);
  }
  const { text } = await raw(instance.url, get('/health?a=%6d', 'Connection: close'));
  assert.match(text, /^HTTP\/1\.1 200/);
  const options = await raw(instance.url, `OPTIONS /${'a'.repeat(5000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  assert.match(options.text, /^HTTP\/1\.1 204/);
  const nobody = await raw(instance.url, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n');
  assert.match(nobody.text, /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*it has no Host header/);
});

test('clients in web pages may read the headers that tell them what to do', async () => {
  const { headers } = await instance.root.query('whoami');
  assert.deepEqual(headers.get('access-control-expose-headers')?.toLowerCase().split(', '), [
    'x-request-id',
    'retry-after',
    'x-ignored-fields',
    'x-warnings',
    'date',
  ]);
});
