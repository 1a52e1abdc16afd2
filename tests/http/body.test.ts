import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { bodyReader, type ReadBody } from '../../src/http/body.ts';
import { post } from '../support/client.ts';
import { startInstance } from '../support/instance.ts';
import { raw } from './raw.ts';

/** A request's stream, read with a limit of 100 bytes. */
function reading(headers: Record<string, string> = {}, readBody: ReadBody = bodyReader(100)) {
  const stream = Object.assign(new PassThrough(), { headers });
  const body = new Promise<string>((done, fail) =>
    readBody(stream as unknown as IncomingMessage, (error, bytes) => (error ? fail(error) : done(bytes!.toString('latin1')))),
  );
  return { stream, body };
}

test('a body is the same in whatever pieces it comes', async () => {
  const text = Array.from({ length: 100 }, (_, i) => String.fromCharCode(i)).join('');
  for (const size of [1, 2, 3, 7, 33, 50, 99, 100]) {
    const { stream, body } = reading();
    for (let at = 0; at < 100; at += size) stream.write(text.slice(at, at + size), 'latin1');
    stream.end();
    assert.equal(await body, text);
  }
  const { stream, body } = reading();
  stream.end();
  assert.equal(await body, '');
});

test('more than the limit is refused, also before it has come; what breaks off is an error', async () => {
  await assert.rejects(reading({ 'content-length': '101' }).body, { code: 'BODY_TOO_LARGE' });
  const { stream, body } = reading();
  for (let i = 0; i < 101; i++) stream.write('x');
  await assert.rejects(body, { code: 'BODY_TOO_LARGE' });
  const broken = reading();
  broken.stream.write('x');
  broken.stream.destroy(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
  await assert.rejects(broken.body, { code: 'ECONNRESET' });
});

test('unfinished large bodies share a budget; small ones are always taken, and what ends gives its room back', async () => {
  const KB = 1024;
  const readBody = bodyReader(1024 * KB, 100 * KB);
  const large = () => {
    const one = reading({}, readBody);
    one.stream.write('x'.repeat(40 * KB));
    return one;
  };
  const [first, second] = [large(), large()];
  await assert.rejects(large().body, { code: 'UNAVAILABLE' });
  const small = reading({}, readBody);
  small.stream.end('y'.repeat(16 * KB));
  assert.equal((await small.body).length, 16 * KB);
  first.stream.end();
  assert.equal((await first.body).length, 40 * KB);
  second.stream.destroy();
  await assert.rejects(second.body, { code: 'ECONNRESET' });
  for (const { stream, body } of [large(), large()]) {
    stream.end();
    assert.equal((await body).length, 40 * KB);
  }
});

const MB = 1024 * 1024;
setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

function held(): number {
  gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('a body in pieces of one byte takes no more memory than in one, whoever sends it', async () => {
  const instance = await startInstance();
  let arrived: Socket | undefined;
  const started = (message: unknown) => {
    arrived = (message as { socket: Socket }).socket;
  };
  subscribe('http.server.request.start', started);
  const { hostname, port } = new URL(instance.url);
  const client = connect({ host: hostname, port: Number(port) });
  try {
    const head = 'POST /public/v1/query/whoami HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    const pieces = '1\r\n{\r\n'.repeat(10_000);
    const before = held();
    client.write(head);
    for (let i = 0; i < 30; i++) await new Promise((done) => client.write(pieces, done));
    while (arrived?.bytesRead !== head.length + 30 * pieces.length) await sleep(5);
    const more = held() - before;
    assert.ok(more < 20 * MB, `${Math.round(more / MB)} MB for a third of a megabyte`);
  } finally {
    unsubscribe('http.server.request.start', started);
    client.destroy();
    await instance.close();
  }
});

test('a body beyond the limit is refused, with its length and without', async () => {
  const instance = await startInstance();
  try {
    assert.equal((await post(`${instance.url}/public/v1/query/whoami`, 'x'.repeat(MB + 1))).status, 413);
    const head = 'POST /public/v1/query/whoami HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    const { text, closed } = await raw(instance.url, `${head}100001\r\n${'x'.repeat(MB + 1)}\r\n0\r\n\r\n`);
    assert.match(text, /^HTTP\/1\.1 413/);
    assert.ok(closed);
  } finally {
    await instance.close();
  }
});
