import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { bodyReader, type ReadBody } from '../../src/http/body.ts';
import { post } from '../support/client.ts';
import { startInstance } from '../support/instance.ts';
import { raw } from './raw.ts';

const MB = 1024 * 1024;

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

test('a body beyond the limit is refused, also before it has arrived; a cut-off body is an error', async () => {
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

test('pieces may be small, but not many: each costs time', async () => {
  const instance = await startInstance();
  try {
    const head = 'POST /public/v1/query/whoami HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
    const inPieces = (count: number, size: number) =>
      `${`${size.toString(16)}\r\n${' '.repeat(size)}\r\n`.repeat(count)}0\r\n\r\n`;
    for (const [count, size] of [
      [500, 1],
      [4000, 256],
    ] as const)
      assert.match(
        (await raw(instance.url, head + inPieces(count, size))).text,
        /must be JSON|not valid JSON|empty/,
        `${count} of ${size}`,
      );
    for (const [count, size] of [
      [600, 1],
      [4000, 64],
    ] as const) {
      const { text, closed } = await raw(instance.url, head + inPieces(count, size));
      assert.match(text, /^HTTP\/1\.1 400 .*too many small pieces/s, `${count} of ${size}`);
      assert.ok(closed);
    }
  } finally {
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
