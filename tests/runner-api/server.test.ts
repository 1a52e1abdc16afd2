import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Parts } from '../../src/runner-api/parts.ts';
import { runnerApi } from '../../src/runner-api/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-socket-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The service behind the socket, which no call reaches. */
function opened(name: string) {
  const path = join(folder, name);
  const logged: string[] = [];
  const line = (_: object, text: string) => void logged.push(text);
  const log = { debug: line, info: line, warn: line, error: line };
  return { path, logged, api: runnerApi(path, { log } as unknown as Parts) };
}

test('others may not connect at any moment, whatever the umask of the process is', async (t) => {
  const { path, api } = opened('mode.sock');
  const umask = process.umask(0);
  const modes: number[] = [];
  const { listen } = Server.prototype;
  t.mock.method(Server.prototype, 'listen', function (this: Server, ...given: unknown[]) {
    Reflect.apply(listen, this, given);
    modes.push(statSync(path).mode & 0o777);
    return this;
  });
  try {
    await api.listen();
    assert.deepEqual([modes, process.umask()], [[0o660], 0]);
  } finally {
    process.umask(umask);
    await api.close();
  }
});

test('a runner that dies in the middle of a call is no failure of the service', async () => {
  const { path, logged, api } = opened('dies.sock');
  await api.listen();
  const socket = connect(path);
  socket.write('POST /v1/lease HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{');
  await setTimeout(50);
  socket.destroy();
  await setTimeout(50);
  await api.close();
  assert.deepEqual(logged, []);
});

test('what another process serves stays, and so does a file that is no socket', async () => {
  const { path, api } = opened('taken.sock');
  const other = createServer();
  await new Promise<void>((done) => other.listen(path, done));
  await assert.rejects(api.listen(), /another process serves/);
  assert.ok(statSync(path).isSocket());
  other.close();
  const file = opened('file');
  writeFileSync(file.path, '');
  await assert.rejects(file.api.listen(), /is not a socket/);
});
