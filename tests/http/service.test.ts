import assert from 'node:assert/strict';
import { lookup } from 'node:dns/promises';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { BOUNDS, connections } from '../../src/http/connections.ts';
import { service } from '../../src/http/service.ts';

const start = (addressesOf?: (host: string) => Promise<string[]>) =>
  service(
    connections({ ...BOUNDS, connections: 100 }, () => {}),
    (_request, response, stopping) => response.end(stopping ? 'stopping' : 'here'),
    addressesOf,
  );

test('localhost is each of its addresses, and they stop together', async () => {
  const both = start();
  const { port } = new URL(await both.listen({ host: 'localhost', port: 0 }));
  const urls = (await lookup('localhost', { all: true })).map(({ address, family }) =>
    family === 6 ? `http://[${address}]:${port}` : `http://${address}:${port}`,
  );
  const answers = await Promise.all(
    urls.map((url) =>
      fetch(url).then(
        (answer) => answer.text(),
        () => 'no such protocol here',
      ),
    ),
  );
  assert.ok(answers.includes('here'));
  both.closeAllConnections();
  await both.close();
  for (const url of urls) await assert.rejects(fetch(url));
});

test('an address that is taken is an error, and an address is told as a URL', async () => {
  const first = start();
  const url = await first.listen({ host: '127.0.0.1', port: 0 });
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  const port = Number(new URL(url).port);
  const second = start();
  await assert.rejects(second.listen({ host: '127.0.0.1', port }), { code: 'EADDRINUSE' });
  await second.close();
  await first.close();
});

test('idle connections are closed', async () => {
  const one = start();
  const { port } = new URL(await one.listen({ host: '127.0.0.1', port: 0 }));
  const socket = connect(Number(port), '127.0.0.1');
  const ended = new Promise((done) => socket.once('close', done));
  await new Promise((done) => {
    socket.once('data', done);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  });
  const closed = one.close();
  one.closeIdleConnections();
  await Promise.all([ended, closed]);
});

test('a port of localhost that another program has on one address is an error', async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen({ host: '127.0.0.2', port: 0 }, done));
  const { port } = other.address() as { port: number };
  const one = start(async () => ['127.0.0.1', '127.0.0.2']);
  try {
    await assert.rejects(one.listen({ host: 'localhost', port }), { code: 'EADDRINUSE' });
  } finally {
    await one.close();
    other.close();
  }
});
