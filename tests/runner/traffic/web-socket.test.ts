import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { it } from 'node:test';
import { APP, appAt, ask, folderOf, hostOf, ingressOf, raw, statusOf } from './support.ts';

const path = join(folderOf(), 'app.sock');
const server = await appAt(path, (_, response) => void response.end('hello'));
const asked: IncomingMessage[] = [];
// What follows the agreement is bytes for the ingress: the app returns them.
server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
  asked.push(request);
  socket.on('error', () => {});
  if (request.url === '/silent') return;
  if (request.url === '/no') return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x=\r\n\r\nfirst ',
  );
  socket.write(head);
  socket.pipe(socket);
});
const bounds = { connections: 64, perApp: 2, answerMs: 200, idleMs: 1000 };
const { port } = await ingressOf({ [APP]: path }, { bounds });
const open = (url: string, more = '', to = port) =>
  raw(
    to,
    `GET ${url} HTTP/1.1\r\nHost: ${hostOf(APP)}\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Key: k\r\n${more}\r\n`,
  );

it('a WebSocket passes bytes in both directions until a side ends it', async () => {
  const one = open('/', 'Sec-WebSocket-Protocol: p\r\n');
  const text = await one.until('first ');
  assert.match(text, /^HTTP\/1\.1 101 Switching Protocols\r\n[\s\S]*sec-websocket-accept: x=\r\n/i);
  assert.doesNotMatch(text, /content-length|transfer-encoding/i);
  assert.match(text, /connection: upgrade\r\nupgrade: websocket\r\n/i);
  one.socket.write('second ');
  await one.until('first second ');
  const { headers } = asked.at(-1)!;
  assert.deepEqual([headers.upgrade, headers.connection, headers['sec-websocket-protocol']], ['websocket', 'Upgrade', 'p']);
  one.socket.end();
  await one.ended;
  // A client may send before it has the agreement.
  const hasty = open('/', '\r\nhasty ');
  await hasty.until('first hasty ');
  hasty.socket.destroy();
});

it('WebSockets count as requests of their app, and idle ones end', async () => {
  const { port: own } = await ingressOf({ [APP]: path }, { bounds });
  const two = [open('/', '', own), open('/', '', own)];
  for (const one of two) await one.until('first ');
  assert.equal(statusOf(await open('/', '', own).ended), 503);
  assert.equal(statusOf(await ask(own, hostOf(APP))), 503);
  await Promise.all(two.map(({ ended }) => ended));
  assert.match(await ask(own, hostOf(APP)), /hello/);
});

it('an app may refuse a WebSocket, and one that answers nothing ends in time', async () => {
  assert.match(await open('/no').ended, /^HTTP\/1\.1 403 [\s\S]*\r\n\r\nno$/);
  assert.equal(statusOf(await open('/silent').ended), 504);
});

it('another upgrade, or one with a body, is an ordinary request', async () => {
  asked.length = 0;
  const rest = 'Connection: Upgrade\r\nUpgrade: h2c\r\n';
  assert.match(await ask(port, hostOf(APP), rest), /hello/);
  assert.match(await ask(port, hostOf(APP), 'Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 0\r\n'), /hello/);
  assert.equal(asked.length, 0);
});

it('the end of the listener ends its WebSockets', async () => {
  const own = await ingressOf({ [APP]: path });
  const one = open('/', '', own.port);
  await one.until('first ');
  const ended = once(one.socket, 'close');
  await own.close();
  await ended;
});
