import assert from 'node:assert/strict';
import { createServer as createPlain, type RequestListener, type Server } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { after, test } from 'node:test';
import { parseAllowed } from '../../src/outbound/allowed.ts';
import { guardedPosts, WEBHOOK_BOUNDS } from '../../src/outbound/guard.ts';
import { certificate, key } from './certificate.ts';

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that notes its connections. */
async function receiver(answer: RequestListener, isSecure = false) {
  const server = isSecure ? createSecure({ cert: certificate, key }, answer) : createPlain(answer);
  const sockets: Socket[] = [];
  server.on(isSecure ? 'secureConnection' : 'connection', (socket) => sockets.push(socket));
  servers.push(server as Server);
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return { sockets, port: (server.address() as AddressInfo).port };
}

const ok: RequestListener = (_request, response) => void response.end('taken');

/** Posts to `issuer.test`, which has these addresses. */
function poster(
  port: number,
  addresses: () => string[],
  protocol = 'http',
  allowed = parseAllowed(`issuer.test:${port}`),
  milliseconds = WEBHOOK_BOUNDS.milliseconds,
) {
  const resolve = async () => addresses().map((address) => ({ address, family: 4 }));
  const post = guardedPosts({
    allowed,
    bounds: { ...WEBHOOK_BOUNDS, milliseconds },
    resolve: { brought: resolve, allowed: resolve },
    ca: certificate,
    reuses: true,
  });
  const sending = { headers: {}, body: Buffer.from('{}') };
  return () => post(`${protocol}://issuer.test:${port}/`, { payer: 'payer', signal: AbortSignal.timeout(20_000) }, sending);
}

for (const protocol of ['http', 'https'])
  test(`a second ${protocol} delivery uses the connection of the first`, async () => {
    const { port, sockets } = await receiver(ok, protocol === 'https');
    const post = poster(port, () => ['127.0.0.1'], protocol);
    for (let i = 0; i < 3; i++) assert.deepEqual({ ...(await post()) }, { status: 200, retryAfter: undefined, text: 'taken' });
    assert.equal(sockets.length, 1);
  });

test('a name that changed its address gets a new connection', async () => {
  const { port, sockets } = await receiver(ok);
  let address = '127.0.0.1';
  const post = poster(port, () => [address]);
  await post();
  address = '127.0.0.2';
  await post();
  assert.deepEqual(
    sockets.map(({ localAddress }) => localAddress?.replace('::ffff:', '')),
    ['127.0.0.1', '127.0.0.2'],
  );
});

test('a receiver that closes a connection before its second request gets that over a new one', async () => {
  const used = new Set<Socket>();
  const { port, sockets } = await receiver(({ socket }, response) => {
    if (used.has(socket)) return void socket.resetAndDestroy();
    used.add(socket);
    response.end();
  });
  const post = poster(port, () => ['127.0.0.1']);
  for (let i = 0; i < 2; i++) assert.equal((await post()).status, 200);
  assert.equal(sockets.length, 2);
});

test('an answer that is not read to its end leaves no connection for others', async () => {
  const { port, sockets } = await receiver((_request, response) => {
    response.write('x'.repeat(65_536));
  });
  const post = poster(port, () => ['127.0.0.1']);
  assert.equal((await post()).status, 200);
  assert.equal((await post()).status, 200);
  assert.equal(sockets.length, 2);
});

test('a status that comes just before the deadline counts, though its answer goes on', async () => {
  const { port } = await receiver((_request, response) => {
    setTimeout(() => response.writeHead(404).write('no'), 400);
  });
  const { status, text } = await poster(port, () => ['127.0.0.1'], 'http', undefined, 500)();
  assert.deepEqual([status, text], [404, 'no']);
});

test('an answer is waited for ten seconds and read to 64 KiB, and a redirect is not followed', () => {
  const { milliseconds, bytes, redirects } = WEBHOOK_BOUNDS;
  assert.deepEqual({ milliseconds, bytes, redirects }, { milliseconds: 10_000, bytes: 65_536, redirects: 0 });
});

test('a name with a private address gets nothing, also over the connection of an earlier delivery', async () => {
  const { port, sockets } = await receiver(ok, true);
  const allowed = new Set<string>();
  const post = poster(port, () => ['127.0.0.1'], 'https', allowed);
  const refusal = { name: 'OutboundError', message: /^issuer\.test:\d+ has no public address/ };
  await assert.rejects(post, refusal);
  // As if its address had been public then.
  allowed.add(`issuer.test:${port}`);
  assert.equal((await post()).status, 200);
  allowed.clear();
  await assert.rejects(post, refusal);
  assert.equal(sockets.length, 1);
});

test('a connection that breaks within an answer sends nothing again', async () => {
  const used = new Set<Socket>();
  const { port, sockets } = await receiver(({ socket }, response) => {
    if (!used.has(socket)) return void response.end(() => used.add(socket));
    response.writeHead(200, { 'content-length': 9 });
    response.write('half', () => socket.resetAndDestroy());
  });
  const post = poster(port, () => ['127.0.0.1']);
  for (let i = 0; i < 2; i++) assert.equal((await post()).status, 200);
  // One sent again would have connected before this one.
  await post();
  assert.equal(sockets.length, 2);
});
