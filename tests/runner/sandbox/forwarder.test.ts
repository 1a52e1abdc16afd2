import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ForwarderSettings } from '../../../src/runner/sandbox/forwarder/settings.ts';
import { waitFor } from '../../support/wait.ts';
import { UIDS } from './support.ts';

const MAIN = fileURLToPath(new URL('../../../src/runner/sandbox/forwarder/main.ts', import.meta.url));
const skip = process.getuid?.() !== 0 && 'the forwarder gives up root, which takes root';

/** Starts the forwarder of an app on a port of this machine. */
async function forwarderTo(app: Server, work: (socketPath: string, forwarder: ChildProcess) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cs-forwarder-'));
  await once(app.listen(0, '127.0.0.1').unref(), 'listening');
  const { port } = app.address() as { port: number };
  // An app may have one port for its health and its traffic.
  const settings: ForwarderSettings = { folder, ports: [port, port], egress: undefined, uid: UIDS.first, idleMs: 300 };
  const forwarder = spawn(process.execPath, [MAIN, JSON.stringify(settings)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(forwarder, 'exit');
  try {
    const [word] = await Promise.race([once(forwarder.stdout, 'data'), exited]);
    assert.equal(String(word), 'ready\n');
    await work(join(folder, `${port}.sock`), forwarder);
    forwarder.stdin.end();
    assert.deepEqual(await exited, [0, null]);
  } finally {
    forwarder.kill('SIGKILL');
    app.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

it('the forwarder closes a connection to an app that answers nothing, and ends with its starter', { skip }, async () => {
  const app = createServer({ allowHalfOpen: true }, () => {});
  await forwarderTo(app, async (path) => {
    const client = connect({ path, allowHalfOpen: true }).resume();
    await once(client, 'end');
    client.destroy();
  });
});

it('the forwarder keeps the last bytes of an app for a client that reads them late', { skip }, async () => {
  // More than the client and its socket take, and the forwarder takes the rest.
  const bytes = 310_000;
  const app = createServer({ allowHalfOpen: true }, (socket) =>
    socket.once('end', () => socket.end(Buffer.alloc(bytes))).resume(),
  );
  await forwarderTo(app, async (path, { pid }) => {
    const openFiles = () => readdirSync(`/proc/${pid}/fd`).length;
    const idle = openFiles();
    const client = connect({ path, allowHalfOpen: true });
    client.end('the request');
    const [socket] = await once(app, 'connection');
    await once(socket, 'close');
    await waitFor('the end of the app', () => openFiles() < idle + 2);
    let read = 0;
    for await (const chunk of client) read += chunk.length;
    assert.equal(read, bytes);
  });
});
