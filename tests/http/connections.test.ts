import assert from 'node:assert/strict';
import type { Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BOUNDS, type Bounds, type CloseReason, connections } from '../../src/http/connections.ts';

const cleanup: (() => void)[] = [];
afterEach(() => {
  for (const undo of cleanup.splice(0)) undo();
});

type Harness = {
  server: Server;
  closed: CloseReason[];
  /** What ended requests too early. */
  aborted: Error[];
  /** Answers that the handler still owes, by path. */
  held: Map<string, ServerResponse>;
  dial(text: string): Promise<Client>;
  closeSilent(): void;
};
type Client = { socket: Socket; text(): string; ended: Promise<void> };

/** A server that answers at once, except for paths that begin with /held. */
async function start(more: Partial<Bounds>): Promise<Harness> {
  const closed: CloseReason[] = [];
  const aborted: Error[] = [];
  const held = new Map<string, ServerResponse>();
  const table = connections({ ...BOUNDS, connections: 100, lingerMs: 20, ...more }, (why) => closed.push(why));
  const server = table.serve((request, response) => {
    request.on('error', (error) => aborted.push(error));
    if (request.url!.startsWith('/held/stream')) table.stream(response);
    if (request.url!.startsWith('/held')) held.set(request.url!, response);
    else if (request.method === 'POST') request.resume().on('end', () => response.end(request.url));
    else response.end(request.url);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanup.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const dial = async (text: string): Promise<Client> => {
    // Half-open: what ends the connection is the server alone.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    cleanup.push(() => socket.destroy());
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk;
    });
    socket.on('error', () => {});
    const ended = new Promise<void>((done) => socket.once('end', done).once('close', () => done()));
    await new Promise((done) => socket.once('connect', done));
    socket.write(text);
    return { socket, text: () => said, ended };
  };
  return { server, closed, aborted, held, dial, closeSilent: table.closeSilent };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const slow = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345`;

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await sleep(5);
}

const count = (server: Server) => new Promise<number>((done) => server.getConnections((_error, n) => done(n)));

test('malformed HTTP is answered, and its descriptor is free although the client keeps its side open', async () => {
  const { server, dial, closed } = await start({});
  const client = await dial('nonsense\r\n\r\n');
  await client.ended;
  assert.match(client.text(), /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"code":3,"message":"bad request: malformed HTTP"/);
  await until(async () => (await count(server)) === 0);
  assert.deepEqual(closed, ['unreadable']);
});

test('a refused client that goes on sending gets its answer, and is closed too', async () => {
  const { server, dial } = await start({ lingerMs: 100 });
  const client = await dial(`GET / HTTP/1.1\r\nlong: ${'x'.repeat(20_000)}`);
  while (!client.text().includes('431')) {
    client.socket.write('x'.repeat(1000));
    await sleep(1);
  }
  await until(async () => (await count(server)) === 0);
});

test('an unreadable request is answered after those before it', async () => {
  const { dial, server, held } = await start({});
  const client = await dial(`${get('/held/1')}${get('/held/2')}nonsense\r\n\r\n`);
  await until(() => held.size === 1);
  assert.equal(client.text(), '');
  client.socket.write('more nonsense');
  held.get('/held/1')!.end('first');
  await until(() => held.size === 2);
  held.get('/held/2')!.end('second');
  await client.ended;
  assert.match(client.text(), /^HTTP\/1\.1 200[\s\S]*first[\s\S]*200[\s\S]*second[\s\S]*HTTP\/1\.1 400/);
  await until(async () => (await count(server)) === 0);
});

test('a late request that is completed after all does not keep its connection', async () => {
  const { dial, server, held, closed } = await start({ headersMs: 20 });
  const client = await dial(`${get('/held')}GET /late HTTP/1.1\r\nHost: `);
  await until(() => closed.length === 1);
  client.socket.write('x\r\n\r\n');
  client.socket.write(get('/later').repeat(10));
  held.get('/held')!.end('first');
  await client.ended;
  assert.match(client.text(), /^HTTP\/1\.1 200[\s\S]*first[\s\S]*HTTP\/1\.1 408 Request Timeout/);
  await until(async () => (await count(server)) === 0);
  assert.deepEqual(closed, ['late']);
});

test('a client that was told that it is late, and goes on with requests, is closed', async () => {
  const { dial, server, closed } = await start({ headersMs: 20 });
  const client = await dial(`${get('/held')}G`);
  await until(() => closed.length === 1);
  client.socket.write('ET /late HTTP/1.1\r\nHost: x\r\n\r\n');
  client.socket.write(get('/later').repeat(17));
  await client.ended;
  assert.deepEqual(closed, ['late', 'pipelined']);
  assert.equal(client.text(), '');
  await until(async () => (await count(server)) === 0);
});

test('requests that wait have bodies of 64 KiB together at most', async () => {
  const { dial, held, closed } = await start({});
  const post = (path: string, bytes: number) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`;
  const client = await dial(get('/held/1'));
  await until(() => held.size === 1);
  client.socket.write(post('/a', 32 * 1024) + post('/b', 32 * 1024));
  held.get('/held/1')!.end('first');
  await until(() => client.text().endsWith('/b'));
  client.socket.write(get('/held/2'));
  await until(() => held.size === 2);
  client.socket.write(post('/c', 32 * 1024) + post('/d', 32 * 1024) + post('/e', 1));
  await client.ended;
  const other = await dial(get('/held/3'));
  await until(() => held.size === 3);
  other.socket.write('POST /f HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  await other.ended;
  assert.deepEqual(closed, ['pipelined', 'pipelined']);
});

test('at the end, connections without a whole request are closed', async () => {
  const { dial, server, held, closeSilent } = await start({});
  const [silent, begun, asking] = [await dial(''), await dial('GET / HT'), await dial(get('/held'))];
  await until(() => held.size === 1);
  await until(async () => (await count(server)) === 3);
  closeSilent();
  await silent.ended;
  await begun.ended;
  held.get('/held')!.end('answer');
  await until(() => asking.text().endsWith('answer'));
});

test('silent connections and slow headers and bodies are closed after their time', async () => {
  const { dial, server, closed } = await start({ headersMs: 300, requestMs: 300 });
  const silent = await dial('');
  const half = await dial('GET / HTTP/1.1\r\nHost');
  const body = await dial(slow('/a'));
  await Promise.all([silent.ended, half.ended, body.ended]);
  assert.equal(silent.text(), '');
  for (const { text } of [half, body]) assert.match(text(), /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*did not arrive in time/);
  await until(async () => (await count(server)) === 0);
  assert.deepEqual(closed, ['late', 'late', 'late']);
});

test('a client that does not read its answer is closed after its time', async () => {
  const { dial, server, held } = await start({ stallMs: 50 });
  const { socket } = await dial(get('/held'));
  socket.pause();
  await until(() => held.size === 1);
  held.get('/held')!.end(Buffer.alloc(32 * 1024 * 1024));
  await until(async () => (await count(server)) === 0);
});

test('the request after the last that may wait closes the connection, whatever its form', async () => {
  for (const excess of [
    get('/held/17'),
    'GET /held/17 HTTP/1.1\r\n\r\n',
    'GET /held/17 HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n',
    'GET /held/17 HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n',
  ]) {
    const { dial, server, held, closed, aborted } = await start({});
    const { stackTraceLimit } = Error;
    const client = await dial(Array.from({ length: 16 }, (_, i) => get(`/held/${1 + i}`)).join('') + excess.repeat(1000));
    await client.ended;
    await until(async () => (await count(server)) === 0);
    assert.equal(held.size, 1, 'the others were not started');
    assert.deepEqual(closed, ['pipelined']);
    // A thousand stacks would take 15 ms of every client's time.
    assert.deepEqual([aborted.map(({ stack }) => stack), Error.stackTraceLimit], [['Error: aborted'], stackTraceLimit]);
  }
});

test('sixteen at once are answered in their order, again and again', async () => {
  const { dial, closed } = await start({});
  const client = await dial('');
  const paths = Array.from({ length: 16 }, (_, i) => `/${i}`);
  for (let round = 1; round <= 3; round++) {
    client.socket.write(paths.map(get).join(''));
    await until(() => client.text().split('HTTP/1.1 200').length === 1 + 16 * round);
  }
  const order = [...client.text().matchAll(/^\/\d+/gm)].map(([path]) => path);
  assert.deepEqual(order, [...paths, ...paths, ...paths]);
  assert.deepEqual(closed, []);
});

test('connections that only wait make room for new ones, the oldest first', async () => {
  const { dial, closed, held } = await start({ connections: 4 });
  const silent = await dial('');
  const late = await dial(slow('/a'));
  const idle = await dial(get('/idle'));
  await until(() => idle.text().endsWith('/idle'));
  const busy = await dial(get('/held'));
  await until(() => held.size === 1);
  for (const waiting of [silent, late, idle]) {
    const next = await dial(get('/held/next'));
    await waiting.ended;
    await until(() => held.delete('/held/next'));
    assert.equal(next.text(), '');
  }
  assert.deepEqual(closed, ['crowded_out', 'crowded_out', 'crowded_out']);
  // The service owes an answer on all four.
  const refused = await dial(get('/'));
  await refused.ended;
  assert.match(refused.text(), /^HTTP\/1\.1 503 Service Unavailable\r\n[\s\S]*"message":"the service has too many connections/);
  held.get('/held')!.end('done');
  await until(() => busy.text().endsWith('done'));
  const after = await dial(get('/after'));
  await until(() => after.text().endsWith('/after'));
});

test('an answer that is sent in pieces makes room where its client does not read', async () => {
  const { held, closed, dial } = await start({ connections: 1 });
  const stalled = await dial(get('/held'));
  await until(() => held.has('/held'));
  stalled.socket.pause();
  const answer = held.get('/held')!;
  answer.write(Buffer.alloc(32 * 1024 * 1024));
  const next = await dial(get('/next'));
  await until(() => next.text().endsWith('/next'));
  assert.deepEqual(closed, ['crowded_out']);
  assert.ok(answer.destroyed);
});

test('so does one whose pieces are small', async () => {
  const { held, closed, dial } = await start({ connections: 1 });
  const stalled = await dial(get('/held'));
  await until(() => held.has('/held'));
  stalled.socket.pause();
  const answer = held.get('/held')!;
  while (answer.writableLength === 0) {
    answer.write(Buffer.alloc(16 * 1024));
    await new Promise((done) => setImmediate(done));
  }
  assert.ok(!answer.writableNeedDrain, 'it could take more');
  const next = await dial(get('/next'));
  await until(() => next.text().endsWith('/next'));
  assert.deepEqual(closed, ['crowded_out']);
});

test('where every connection has an answer to come, the list that was asked for last gives way', async () => {
  const { dial, held, closed } = await start({ connections: 3 });
  const asked = async (path: string) => {
    const client = await dial(get(path));
    await until(() => held.has(path));
    return client;
  };
  const [list, other, lone] = [await asked('/held/list'), await asked('/held/other'), await asked('/held/lone')];
  for (const path of ['/held/list', '/held/other']) await new Promise((done) => held.get(path)!.write('begun', done));
  const late = await dial(get('/a'));
  await until(() => late.text().includes('\r\n\r\n/a'));
  await other.ended;
  assert.deepEqual(closed, ['crowded_out']);
  // Only the idle connection still waits for an answer.
  await dial(get('/held/last'));
  await until(() => held.has('/held/last'));
  assert.deepEqual(closed, ['crowded_out', 'crowded_out']);
  await late.ended;
  held.get('/held/list')!.end('ended');
  held.get('/held/lone')!.end('whole');
  await until(() => list.text().includes('ended') && lone.text().includes('whole'));
});

test('a request starts when the answer before it is with the kernel', async () => {
  const { held, closed, dial } = await start({});
  const client = await dial(get('/held/1') + get('/held/2') + slow('/third'));
  await until(() => held.size === 1);
  client.socket.write(`67890POST /fourth HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(1000)}`);
  held.get('/held/1')!.write(Buffer.alloc(16 * 1024 * 1024));
  await until(() => client.text().length > 16 * 1024 * 1024);
  assert.deepEqual([...held.keys()], ['/held/1'], 'an unfinished answer');
  client.socket.pause();
  held.get('/held/1')!.end(Buffer.alloc(32 * 1024 * 1024));
  // Later requests of others are answered, and this one does not start.
  const other = await dial(get('/other'));
  await until(() => other.text().endsWith('/other'));
  assert.deepEqual([...held.keys()], ['/held/1'], 'an answer that is not taken');
  client.socket.resume();
  await until(() => held.has('/held/2'));
  held.get('/held/2')!.end('second');
  await until(() => client.text().endsWith('/fourth'));
  assert.match(client.text().slice(-1000), /second[\s\S]*\/third[\s\S]*\/fourth$/);
  assert.deepEqual(closed, []);
});

test('of the answers that wait for their clients, the largest are closed beyond the budget', async () => {
  const megabytes = 1024 * 1024;
  const { held, closed, dial, server } = await start({ unreadBytes: 100 * megabytes });
  const clients: Client[] = [];
  for (const name of ['/held/a', '/held/b', '/held/c']) {
    const client = await dial(get(name));
    client.socket.pause();
    await until(() => held.has(name));
    clients.push(client);
  }
  held.get('/held/a')!.write(Buffer.alloc(41 * megabytes));
  held.get('/held/b')!.end(Buffer.alloc(40 * megabytes));
  assert.deepEqual(closed, []);
  held.get('/held/c')!.end(Buffer.alloc(40 * megabytes));
  await until(() => closed.length > 0);
  await until(() => held.get('/held/a')!.destroyed);
  for (const { socket } of clients.slice(1)) socket.resume();
  await until(() => clients.slice(1).every(({ text }) => text().length > 40 * megabytes));
  const later = await dial(get('/held/d'));
  await until(() => held.has('/held/d'));
  held.get('/held/d')!.end(Buffer.alloc(90 * megabytes));
  await until(() => later.text().length > 90 * megabytes);
  assert.deepEqual(closed, ['unread'], 'what was taken is not counted');
  await until(async () => (await count(server)) === 3);
});

test('a client within its fair share is not closed for clients beyond it', async () => {
  const megabytes = 1024 * 1024;
  const { held, closed, dial } = await start({ unreadBytes: 100 * megabytes });
  const clients: Client[] = [];
  for (const name of ['/held/small', '/held/b', '/held/c', '/held/d']) {
    const client = await dial(get(name));
    client.socket.pause();
    await until(() => held.has(name));
    clients.push(client);
  }
  held.get('/held/small')!.end(Buffer.alloc(24 * megabytes));
  held.get('/held/b')!.end(Buffer.alloc(40 * megabytes));
  held.get('/held/c')!.end(Buffer.alloc(30 * megabytes));
  assert.deepEqual(closed, []);
  held.get('/held/d')!.end(Buffer.alloc(30 * megabytes));
  await until(() => held.get('/held/b')!.destroyed);
  assert.deepEqual(closed, ['unread']);
  const others = clients.filter((_, i) => i !== 1);
  for (const { socket } of others) socket.resume();
  await until(() => others.every(({ text }) => text().length > 24 * megabytes));
});

test('an answer must be taken in its time, however often its client reads', async () => {
  const { held, closed, dial } = await start({ answerMs: 50 });
  const client = await dial(get('/held'));
  await until(() => held.has('/held'));
  const answer = held.get('/held')!;
  const more = () => void answer.write('x'.repeat(1024));
  client.socket.on('data', more);
  more();
  await client.ended;
  assert.deepEqual(closed, ['too_slow']);
});

test('a stream may be taken for longer than an answer, and counts anew afterwards', async () => {
  const { held, closed, dial } = await start({ answerMs: 50 });
  const client = await dial(get('/held/stream'));
  const other = await dial(get('/held'));
  await until(() => held.size === 2);
  for (const [, answer] of held) answer.write('x');
  await other.ended;
  assert.deepEqual(closed, ['too_slow']);
  held.get('/held/stream')!.end('the end');
  await until(() => client.text().includes('the end'));
  client.socket.write(get('/held/next'));
  await until(() => held.has('/held/next'));
  held.get('/held/next')!.write('x');
  await client.ended;
  assert.deepEqual(closed, ['too_slow', 'too_slow']);
});
