import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { it } from 'node:test';
import { waitFor } from '../../support/wait.ts';
import { APP, appAt, ask, folderOf, hostOf, ingressOf, type Lines, OTHER, raw, statusOf } from './support.ts';

const folder = folderOf();
const path = join(folder, 'app.sock');
const NOT_READY = '0194a1b2-0000-7000-8000-000000000003';
const DEAD = '0194a1b2-0000-7000-8000-000000000004';

let silentRequests = 0;
const paths: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/headers': ({ headersDistinct }, response) => {
    response.setHeader('set-cookie', ['a=1', 'b=2']);
    response.setHeader('connection', 'x-secret');
    response.setHeader('x-secret', '1');
    response.end(JSON.stringify(headersDistinct));
  },
  '/echo': (request, response) => void request.pipe(response),
  '/early': (request, response) => void request.once('data', () => response.writeHead(413).end('too large')),
  '/silent': () => {
    silentRequests += 1;
  },
  '/cut': (_, response) => void response.writeHead(200, { 'content-length': 10 }).write('half', () => response.destroy()),
  '/no-answer': ({ socket }) => socket.destroy(),
  '/not-http': ({ socket }) => socket.end('HTTP/1.1 099 Odd\r\n\r\n'),
  '/much': (_, response) => void response.end(Buffer.alloc(32 * 1024 * 1024)),
};
await appAt(path, (request, response) => (paths[request.url!] ?? ((_, to) => to.end('hello')))(request, response));
const apps = { [APP]: path, [NOT_READY]: undefined, [DEAD]: join(folder, 'none.sock') };
const lines: Lines = [];
const { port } = await ingressOf(apps, { lines });

it('an app is found by its host, whatever its case, port and last dot', async () => {
  const host = hostOf(APP);
  for (const one of [host, host.toUpperCase(), `${host}:8443`, `${host}.`, `${host}.:1`])
    assert.match(await ask(port, one), /^HTTP\/1\.1 200 [\s\S]*hello/, one);
  for (const one of [
    '',
    'localhost',
    `x${host}`,
    `${host}x`,
    `${host}..`,
    `x.${host}`,
    `${host}:1x`,
    `${host}@x`,
    hostOf(OTHER),
  ]) {
    const answer = await ask(port, one);
    assert.equal(statusOf(answer), 404, one);
    assert.match(answer, /\{"message":"No app has this host name\."\}/);
  }
});

it('an app that is not ready gets a 503 with Retry-After, and one that has just died a 502', async () => {
  assert.match(await ask(port, hostOf(NOT_READY)), /^HTTP\/1\.1 503 [\s\S]*retry-after: 5\r\n/);
  assert.equal(statusOf(await ask(port, hostOf(DEAD))), 502);
});

it('headers about one connection, and what clients say about themselves, reach no app', async () => {
  const rest = [
    ...['Connection: x-own, content-length, x-forwarded-for, host', 'X-Own: 1', 'Keep-Alive: 1', 'TE: trailers', 'Upgrade: h2c'],
    ...[
      'Proxy-Authorization: x',
      'X-Forwarded-For: 8.8.8.8',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Port: 1',
      'Forwarded: for=8.8.8.8',
    ],
    ...['X-Real-IP: 8.8.8.8', 'X-Twice: 1', 'X-Twice: 2', 'Content-Length: 2', '', 'xy'],
  ];
  const answer = await raw(port, `POST /headers HTTP/1.1\r\nHost: ${hostOf(APP)}:1\r\n${rest.join('\r\n')}`).until('}');
  const [head, body] = answer.split('\r\n\r\n') as [string, string];
  assert.match(head, /set-cookie: a=1\r\nset-cookie: b=2/);
  assert.doesNotMatch(head, /x-secret/i);
  assert.deepEqual(JSON.parse(body.replace(/^[^{]*/, '').replace(/[^}]*$/, '')), {
    'x-twice': ['1', '2'],
    'content-length': ['2'],
    host: [`${hostOf(APP)}:1`],
    connection: ['close'],
    'x-forwarded-for': ['127.0.0.1'],
    'x-forwarded-host': [`${hostOf(APP)}:1`],
    'x-forwarded-proto': ['http'],
  });
});

it('a trusted proxy tells the address and the protocol of the client', async () => {
  const behind = await ingressOf(apps, { trustedProxies: ['127.0.0.0/8', '2001:db8::/32'] });
  for (const [said, address] of [
    ['1.1.1.1, 8.8.8.8', '8.8.8.8'],
    ['1.1.1.1, 8.8.8.8, 2001:db8::1, ::ffff:127.0.0.2', '8.8.8.8'],
    ['1.1.1.1, nonsense', '127.0.0.1'],
  ]) {
    const rest = `X-Forwarded-For: ${said}\r\nX-Forwarded-Proto: https\r\n`;
    const answer = await ask(behind.port, hostOf(APP), rest, 'GET /headers HTTP/1.1');
    assert.match(answer, new RegExp(`"x-forwarded-for":\\["${address}"\\].*"x-forwarded-proto":\\["https"\\]`), said);
  }
});

it('bodies stream in both directions, with and without a length', async () => {
  const head = `POST /echo HTTP/1.1\r\nHost: ${hostOf(APP)}\r\n`;
  const chunked = raw(port, `${head}Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n`);
  await chunked.until('one');
  chunked.socket.write('3\r\ntwo\r\n0\r\n\r\n');
  assert.match(await chunked.until('0\r\n\r\n'), /\r\none\r\n[\s\S]*\r\ntwo\r\n/);
  const sized = raw(port, `${head}Content-Length: 6\r\n\r\none`);
  await sized.until('one');
  // The connection serves the next request.
  sized.socket.write(`twoGET / HTTP/1.1\r\nHost: ${hostOf(APP)}\r\n\r\n`.slice(0, 3));
  await sized.until('two');
  await sized.until('0\r\n\r\n');
  sized.socket.write(
    `DELETE /echo HTTP/1.1\r\nHost: ${hostOf(APP)}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nthree\r\n0\r\n\r\n`,
  );
  await sized.until('three');
});

it('an app that answers before it has the request, half, or no HTTP is told apart', async () => {
  const early = raw(port, `POST /early HTTP/1.1\r\nHost: ${hostOf(APP)}\r\nContent-Length: 100000000\r\n\r\nx`);
  assert.match(await early.until('too large'), /^HTTP\/1\.1 413 /);
  early.socket.destroy();
  const cut = await raw(port, `GET /cut HTTP/1.1\r\nHost: ${hostOf(APP)}\r\n\r\n`).ended;
  assert.match(cut, /content-length: 10\r\n[\s\S]*\r\n\r\nhalf$/);
  for (const path of ['/no-answer', '/not-http'])
    assert.equal(statusOf(await ask(port, hostOf(APP), '', `GET ${path} HTTP/1.1`)), 502, path);
});

it('an app without an answer, and a client that does not read, hold nothing else up', async () => {
  const bounded = await ingressOf(
    { ...apps, [OTHER]: path },
    { bounds: { connections: 40, perApp: 3, answerMs: 500, idleMs: 1000 } },
  );
  const silent = [1, 2, 3].map(() => ask(bounded.port, hostOf(APP), '', 'GET /silent HTTP/1.1'));
  await waitFor('three requests at the app', () => silentRequests === 3);
  assert.match(await ask(bounded.port, hostOf(APP)), /^HTTP\/1\.1 503 [\s\S]*too many requests/);
  assert.match(await ask(bounded.port, hostOf(OTHER)), /hello/);
  assert.deepEqual((await Promise.all(silent)).map(statusOf), [504, 504, 504]);
  const slow = [1, 2, 3].map(() => raw(bounded.port, `GET /much HTTP/1.1\r\nHost: ${hostOf(APP)}\r\n\r\n`));
  for (const one of slow) {
    await one.until('200 OK');
    one.socket.pause();
  }
  assert.match(await ask(bounded.port, hostOf(APP)), /^HTTP\/1\.1 503 /);
  await waitFor('the end of an answer that is not read', async () => /hello/.test(await ask(bounded.port, hostOf(APP))));
});

it('a new connection takes the place of an idle one, and of no request', async () => {
  const bounded = await ingressOf(apps, { bounds: { connections: 16, headersMs: 60_000 } });
  const busy = raw(bounded.port, `POST /echo HTTP/1.1\r\nHost: ${hostOf(APP)}\r\nContent-Length: 6\r\n\r\none`);
  await busy.until('one');
  const idle = Array.from({ length: 15 }, () => raw(bounded.port, 'GET / HT'));
  await Promise.all(idle.map(({ socket }) => once(socket, 'connect')));
  assert.match(await ask(bounded.port, hostOf(APP)), /hello/);
  await Promise.race(idle.map(({ ended }) => ended));
  busy.socket.write('two');
  await busy.until('two');
});

it('a slow head ends in time, and pipelined requests end the connection', async () => {
  const bounded = await ingressOf(apps, { bounds: { headersMs: 100 } });
  assert.equal(statusOf(await raw(bounded.port, 'GET / HTTP/1.1\r\nHost').ended), 408);
  const one = `GET /silent HTTP/1.1\r\nHost: ${hostOf(APP)}\r\n\r\n`;
  assert.equal(await raw(port, one + one).ended, '');
});

it('refusals are logged as sums when the listener ends', async () => {
  const own: Lines = [];
  const ingress = await ingressOf(apps, { lines: own });
  await ask(ingress.port, 'unknown');
  await ask(ingress.port, 'unknown');
  await ingress.close();
  assert.deepEqual(
    own.map(({ fields }) => fields),
    [{ refused: { unknown: 2 } }],
  );
});
