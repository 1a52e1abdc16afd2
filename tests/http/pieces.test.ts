import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, test } from 'node:test';
import { writePieces } from '../../src/http/pieces.ts';
import { get, raw } from './raw.ts';

type Source = { pieces(): AsyncIterable<string>; failures: unknown[]; sent: number; ended: Promise<void> };

const MEGABYTE = 'x'.repeat(1024 * 1024);

/** Gives pieces until it is stopped; throws in place of piece `fails`. */
function endless(fails = Number.POSITIVE_INFINITY): Source {
  const ended = Promise.withResolvers<void>();
  const source: Source = {
    failures: [],
    sent: 0,
    ended: ended.promise,
    async *pieces() {
      try {
        for (;;) {
          if (source.sent === fails) throw new Error('the disk is gone');
          source.sent += 1;
          yield MEGABYTE;
        }
      } finally {
        ended.resolve();
      }
    },
  };
  return source;
}

let source: Source;
const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  void writePieces(response, source.pieces(), (error) => void source.failures.push(error));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const url = `http://127.0.0.1:${port}`;
after(() => server.close());

test('an answer that fails in the middle never looks whole', async () => {
  source = endless(3);
  const { text, closed } = await raw(url, get('/'));
  assert.ok(closed);
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(text, /\r\ntransfer-encoding: chunked\r\n/i);
  assert.ok(!text.endsWith('0\r\n\r\n'), 'no last chunk');
  assert.deepEqual(source.failures.map(String), ['Error: the disk is gone']);
  source = endless(3);
  await assert.rejects(fetch(url).then((answer) => answer.text()));
});

test('a client that does not read holds up what is read for it, and ends it by going away', async () => {
  source = endless();
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(get('/'));
  await new Promise((resolve) => socket.once('readable', resolve));
  socket.destroy();
  await source.ended;
  // What the operating system takes for a client that does not read.
  assert.ok(source.sent < 64, `${source.sent} MB`);
  assert.deepEqual(source.failures, [], 'nobody’s fault here');
});
