import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { type Line, LineError, lineTo } from '../../src/outbound/line.ts';

let listener: RequestListener = (_, response) => response.end('{}');
const sockets: Socket[] = [];
const server = createServer((request, response) => listener(request, response));
server.on('connection', (socket) => sockets.push(socket));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
const lines: Line[] = [];
after(() => {
  for (const line of lines) line.close();
  server.closeAllConnections();
  server.close();
});

function line(url = `http://${host}/path?key=1`): Line {
  const made = lineTo(new URL(url));
  lines.push(made);
  return made;
}
const within = (milliseconds = 60_000, maxBytes = 1000) => ({ signal: AbortSignal.timeout(milliseconds), maxBytes });
const failing = async (work: Promise<unknown>, message: RegExp, arrived: boolean) =>
  assert.rejects(work, (error) => {
    assert.ok(error instanceof LineError);
    assert.match(error.message, message);
    assert.equal(error.arrived, arrived);
    return true;
  });

test('a body is posted to the path, with the name and password of the URL, over one connection', async () => {
  const seen: unknown[] = [];
  listener = async (request, response) => {
    seen.push([request.method, request.url, request.headers.authorization, request.headers['content-type'], await text(request)]);
    response.writeHead(418, { 'retry-after': '5' }).end('tea');
  };
  const before = sockets.length;
  const own = line(`http://us%65r:p%40ss@${host}/path?key=1`);
  for (const body of ['{"ü":1}', '2']) {
    const { status, retryAfter, body: answered } = await own.post(body, within());
    assert.deepEqual([status, retryAfter, answered.toString()], [418, '5', 'tea']);
  }
  const authorization = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
  assert.deepEqual(
    seen,
    ['{"ü":1}', '2'].map((body) => ['POST', '/path?key=1', authorization, 'application/json', body]),
  );
  assert.equal(sockets.length, before + 1);
});

test('a kept connection that the other side closed is no failure', async () => {
  listener = (_, response) => response.end('1');
  const own = line();
  await own.post('', within());
  for (let i = 0; i < 5; i++) {
    const socket = sockets.at(-1)!;
    socket.resetAndDestroy();
    assert.equal((await own.post('', within())).body.toString(), '1');
  }
});

test('whether a request may have arrived is known', async () => {
  await failing(line('http://127.0.0.1:1').post('', within()), /ECONNREFUSED/, false);
  await failing(line('http://no-such-name.invalid').post('', within()), /no answer/, false);
  await failing(line(`https://${host}`).post('', within()), /no answer/, false);
  listener = (request) => void request.destroy();
  await failing(line().post('', within()), /ECONNRESET/, true);
  listener = () => {};
  await failing(line().post('', within(50)), /no answer in time/, true);
  const stop = new AbortController();
  listener = () => stop.abort();
  await failing(line().post('', { signal: stop.signal, maxBytes: 10 }), /stopped/, true);
});

test('an answer has an end, in bytes, in time and in what is around it', async () => {
  listener = (_, response) => response.end('x'.repeat(1001));
  await failing(line().post('', within()), /more than 1000 bytes/, true);
  listener = (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  await failing(line().post('', within()), /more than 1000 bytes/, true);
  listener = (_, response) => void response.writeHead(200).write('x');
  await failing(line().post('', within(50)), /no answer in time/, true);
});

test('bytes that are not HTTP are no answer', async () => {
  const odd = createTcp((socket) => socket.end('SSH-2.0-x\r\n'));
  await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
  await failing(line(`http://127.0.0.1:${(odd.address() as AddressInfo).port}`).post('', within()), /no answer: HPE_/, true);
  odd.close();
});
