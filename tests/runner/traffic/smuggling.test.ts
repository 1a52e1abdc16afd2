import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { APP, appAt, folderOf, hostOf, ingressOf, OTHER, raw, statusOf } from './support.ts';

const path = join(folderOf(), 'app.sock');
const seen: string[] = [];
await appAt(path, (request, response) => {
  seen.push(`${request.method} ${request.url}`);
  request.resume().once('end', () => response.end('hello'));
});
const { port } = await ingressOf({ [APP]: path, [OTHER]: path });
const host = `Host: ${hostOf(APP)}`;
const next = `GET /smuggled HTTP/1.1\r\n${host}\r\n\r\n`;

const REFUSED: Record<string, string[]> = {
  'two Hosts': ['GET / HTTP/1.1', host, `Host: ${hostOf(OTHER)}`, '', ''],
  'no Host': ['GET / HTTP/1.1', '', ''],
  'a target with a host': [`GET http://${hostOf(OTHER)}/ HTTP/1.1`, host, '', ''],
  'an asterisk': ['OPTIONS * HTTP/1.1', host, '', ''],
  'a length and chunks': ['POST / HTTP/1.1', host, 'Content-Length: 6', 'Transfer-Encoding: chunked', '', '0', '', next],
  'chunks and a length': ['POST / HTTP/1.1', host, 'Transfer-Encoding: chunked', 'Content-Length: 6', '', '0', '', next],
  'two lengths': ['POST / HTTP/1.1', host, 'Content-Length: 0', `Content-Length: ${next.length}`, '', next],
  'equal lengths': ['POST / HTTP/1.1', host, 'Content-Length: 0', 'Content-Length: 0', '', next],
  'a length with a sign': ['POST / HTTP/1.1', host, 'Content-Length: +0', '', next],
  'a list of lengths': ['POST / HTTP/1.1', host, 'Content-Length: 0, 5', '', next],
  'an unknown coding': ['POST / HTTP/1.1', host, 'Transfer-Encoding: xchunked', '', '0', '', next],
  'a coding before chunks': ['POST / HTTP/1.1', host, 'Transfer-Encoding: gzip, chunked', '', '0', '', next],
  'a coding after chunks': ['POST / HTTP/1.1', host, 'Transfer-Encoding: chunked, identity', '', '0', '', next],
  'chunks twice': ['POST / HTTP/1.1', host, 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked', '', '0', '', next],
  'chunks of HTTP/1.0': ['POST / HTTP/1.0', host, 'Transfer-Encoding: chunked', '', '0', '', next],
  'HTTP/2.0': ['GET / HTTP/2.0', host, '', ''],
  'a space before the colon': ['POST / HTTP/1.1', host, 'Transfer-Encoding : chunked', '', '0', '', next],
  'a folded header': ['GET / HTTP/1.1', host, 'X: 1', ' folded', '', ''],
  'a lone line feed': [`GET / HTTP/1.1\n${host}\n\n`],
  'a null byte': ['GET / HTTP/1.1', host, 'X: a\0b', '', ''],
  'a space in the target': ['GET /a b HTTP/1.1', host, '', ''],
  'a size of a chunk with a sign': ['POST / HTTP/1.1', host, 'Transfer-Encoding: chunked', '', '+0', '', next],
  'headers of more than 16 KiB': ['GET / HTTP/1.1', host, `X: ${'x'.repeat(16_384)}`, '', ''],
};

it('a request that two programs can read in two ways reaches no app', async () => {
  for (const [name, lines] of Object.entries(REFUSED)) {
    seen.length = 0;
    const answer = await raw(port, lines.join('\r\n')).ended;
    assert.ok([400, 413, 431, 505].includes(statusOf(answer)), `${name}: ${answer}`);
    assert.doesNotMatch(answer, /hello/, name);
    assert.ok(!seen.includes('GET /smuggled'), name);
  }
});

it('a body that looks like a request stays a body, also where the client names its length in Connection', async () => {
  seen.length = 0;
  const framings = [
    `Content-Length: ${next.length}\r\n\r\n${next}`,
    `Transfer-Encoding: chunked\r\n\r\n${next.length.toString(16)}\r\n${next}\r\n0\r\n\r\n`,
  ];
  for (const method of ['POST', 'GET', 'DELETE', 'OPTIONS'])
    for (const framing of framings) {
      const head = `${method} / HTTP/1.1\r\n${host}\r\nConnection: content-length, transfer-encoding\r\n`;
      const one = raw(port, head + framing);
      assert.equal(statusOf(await one.until('hello')), 200);
      one.socket.destroy();
    }
  assert.deepEqual([...new Set(seen)], ['POST /', 'GET /', 'DELETE /', 'OPTIONS /']);
});
