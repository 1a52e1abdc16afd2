import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttp2 } from 'node:http2';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Check, grpcHealth, httpHealth } from '../../../src/runner/life/health.ts';
import { watchHealth } from '../../../src/runner/life/watch.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-health-'));
const servers: { close(): void }[] = [];
after(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

let sockets = 0;
async function listening(server: Server | ReturnType<typeof createHttp> | ReturnType<typeof createHttp2>): Promise<string> {
  const path = join(folder, `${++sockets}.sock`);
  servers.push(server);
  await once(server.listen(path), 'listening');
  return path;
}

test('a health check by HTTP is GET /health with a status from 200 to 299, whatever its body', async () => {
  const path = await listening(
    createHttp(({ url, method }, response) => {
      response.statusCode = method === 'GET' && url === '/health' ? status : 404;
      response.write('a body without an end');
    }),
  );
  let status = 202;
  assert.equal(await httpHealth(path), undefined);
  status = 500;
  assert.equal(await httpHealth(path), 'it answered GET /health with status 500');
  assert.match((await httpHealth(join(folder, 'none.sock')))!, /^it did not answer GET \/health: .*ENOENT/);
});

test('a health check by gRPC is SERVING in the answer to the standard call', async () => {
  let answer = '0802';
  let status = '0';
  const asked: string[] = [];
  const server = createHttp2();
  server.on('stream', (stream, headers) => {
    asked.push(`${headers[':method']} ${headers[':path']} ${headers['content-type']}`);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status }));
    stream.end(Buffer.from(`00000000${(answer.length / 2).toString(16).padStart(2, '0')}${answer}`, 'hex'));
  });
  const path = await listening(server);
  assert.match((await grpcHealth(path))!, /with status 0, and not SERVING/);
  answer = '0801';
  assert.equal(await grpcHealth(path), undefined);
  status = '5';
  assert.match((await grpcHealth(path))!, /with status 5/);
  assert.equal(asked[0], 'POST /grpc.health.v1.Health/Check application/grpc');
  const noise = await listening(createServer((socket) => socket.end('noise')));
  assert.match((await grpcHealth(noise))!, /^it (did not answer|answered .* with status undefined)/);
});

/** Runs the watch over these answers, with time that passes at once. */
async function watched(answers: (string | undefined)[]): Promise<{ why: string | undefined; ready: number; checks: number }> {
  let [now, ready, checks] = [0, 0, 0];
  const ended = new AbortController();
  const check: Check = async () => {
    checks += 1;
    if (checks > answers.length) ended.abort();
    return answers[checks - 1];
  };
  const rest = async (ms: number) => {
    now += ms;
  };
  const why = await watchHealth({ check, socket: '', ended: ended.signal, now: () => now, rest, onReady: () => ready++ });
  return { why, ready, checks };
}

test('three failed checks in a row make an app unhealthy, and two do not', async () => {
  const no = 'it answers nothing';
  assert.deepEqual(await watched([no, no, undefined, no, no, undefined, no, no, no]), {
    why: `It failed 3 health checks: ${no}.`,
    ready: 1,
    checks: 9,
  });
  assert.equal((await watched([undefined, no, no, undefined])).why, undefined);
});

test('an app that never answers is given up after a minute', async () => {
  const { why, ready } = await watched(Array(1000).fill('it gave no answer'));
  assert.deepEqual([why, ready], ['It was not healthy within 60 s: it gave no answer.', 0]);
});
