import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { parseAllowed } from '../../src/outbound/allowed.ts';
import { WEBHOOK_BOUNDS } from '../../src/outbound/guard.ts';
import { threadedPosts } from '../../src/outbound/post-thread.ts';

/** What the receiver of each path does. */
const asked: string[] = [];
const arrived = new Map<string, () => void>();
const answers: Record<string, RequestListener> = {
  '/ok': (request, response) => void request.pipe(response),
  '/redirect': (_request, response) => void response.writeHead(302, { location: '/ok' }).end(),
  '/later': (_request, response) => void response.writeHead(429, { 'retry-after': '7' }).end('x'.repeat(5000)),
  '/hang': () => {},
};
const server = createServer((request, response) => {
  const path = request.url!;
  asked.push(path);
  arrived.get(path)?.();
  answers[path]!(request, response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const posts = threadedPosts({ allowed: parseAllowed(`127.0.0.1:${port}`), bounds: WEBHOOK_BOUNDS });
after(async () => {
  await posts.close();
  server.closeAllConnections();
  server.close();
});

const post = (path: string, signal?: AbortSignal, body = '{}') =>
  posts.post(
    new URL(path, `http://127.0.0.1:${port}`).href,
    { payer: 'payer', signal },
    { headers: {}, body: Buffer.from(body) },
  );

/** Resolves when the receiver has a request to this path. */
const arrival = (path: string) => new Promise<void>((resolve) => arrived.set(path, resolve));

test('posts of a thread bring each answer to its own post, and a receiver that hangs holds up no other', async () => {
  const hangs = arrival('/hang');
  const control = new AbortController();
  const hanging = post('/hang', control.signal);
  await hangs;
  const bodies = Array.from({ length: 50 }, (_, i) => `body ${i}`);
  const taken = await Promise.all(bodies.map((body) => post('/ok', undefined, body)));
  assert.deepEqual(
    taken.map(({ text }) => text),
    bodies,
  );
  control.abort();
  await assert.rejects(hanging, { name: 'OutboundError', mayPass: true });
});

test('a post of a thread brings the status, Retry-After and the first bytes, and follows no redirect', async () => {
  asked.length = 0;
  assert.equal((await post('/redirect')).status, 302);
  assert.deepEqual(asked, ['/redirect']);
  const { status, retryAfter, text } = await post('/later');
  assert.deepEqual([status, retryAfter, text.length], [429, '7', 1024]);
});

test('the guard holds in the thread', async () => {
  for (const [url, message] of [
    [`http://127.0.0.2:${port}/ok`, /must be called over https/],
    [`https://127.0.0.2:${port}/ok`, /no public address/],
    ['https://169.254.169.254/', /no public address/],
    ['https://[::ffff:10.0.0.1]/', /no public address/],
    ['https://user@example.com/', /user name/],
  ] as const)
    await assert.rejects(posts.post(url, { payer: 'payer' }, { headers: {}, body: Buffer.from('{}') }), {
      name: 'OutboundError',
      mayPass: false,
      message,
    });
});

test('posts under way fail when the thread ends, and the next one starts another', async () => {
  const hangs = arrival('/hang');
  const hanging = post('/hang');
  const failed = assert.rejects(hanging, { name: 'OutboundError', mayPass: true });
  await hangs;
  await posts.close();
  await failed;
  assert.equal((await post('/ok')).status, 200);
  await assert.rejects(post('/ok', AbortSignal.abort()), { name: 'OutboundError' });
});
