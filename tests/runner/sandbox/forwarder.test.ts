import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ForwarderSettings } from '../../../src/runner/sandbox/forwarder/settings.ts';
import { UIDS } from './support.ts';

const MAIN = fileURLToPath(new URL('../../../src/runner/sandbox/forwarder/main.ts', import.meta.url));
const skip = process.getuid?.() !== 0 && 'the forwarder gives up root, which takes root';

/** Starts the forwarder of an app on a port of this machine. */
async function forwarderTo(app: Server, idleMs: number, work: (socketPath: string) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'cs-forwarder-'));
  await once(app.listen(0, '127.0.0.1').unref(), 'listening');
  const { port } = app.address() as { port: number };
  // An app may have one port for its health and its traffic.
  const settings: ForwarderSettings = { folder, ports: [port, port], egress: undefined, uid: UIDS.first, idleMs };
  const forwarder = spawn(process.execPath, [MAIN, JSON.stringify(settings)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(forwarder, 'exit');
  try {
    const [word] = await Promise.race([once(forwarder.stdout, 'data'), exited]);
    assert.equal(String(word), 'ready\n');
    await work(join(folder, `${port}.sock`));
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
  await forwarderTo(app, 100, async (path) => {
    const client = connect({ path, allowHalfOpen: true }).resume();
    await once(client, 'end');
    client.destroy();
  });
});

it('the forwarder keeps the last bytes of an app for clients that read slowly', { skip }, async () => {
  const app = createServer({ allowHalfOpen: true }, (socket) =>
    socket.once('data', (bytes) => socket.end(Buffer.alloc(Number(bytes)))),
  );
  const read = async (path: string, bytes: number) => {
    const client = connect({ path, allowHalfOpen: true });
    client.end(String(bytes));
    let found = 0;
    for await (const chunk of client) {
      found += chunk.length;
      await setTimeout(2);
    }
    return found;
  };
  // The end comes at another state of the buffers for each.
  const sizes = Array.from({ length: 24 }, (_, at) => 300_000 + 11_000 * at);
  await forwarderTo(app, 60_000, async (path) => {
    assert.deepEqual(await Promise.all(sizes.map((bytes) => read(path, bytes))), sizes);
  });
});
