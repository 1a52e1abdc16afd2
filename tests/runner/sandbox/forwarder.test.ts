import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ForwarderSettings } from '../../../src/runner/sandbox/forwarder/settings.ts';
import { UIDS } from './support.ts';

const MAIN = fileURLToPath(new URL('../../../src/runner/sandbox/forwarder/main.ts', import.meta.url));
const skip = process.getuid?.() !== 0 && 'the forwarder gives up root, which takes root';

it('the forwarder closes a connection to an app that answers nothing, and ends with its starter', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cs-forwarder-'));
  const app = createServer({ allowHalfOpen: true }, () => {}).listen(0, '127.0.0.1');
  await once(app, 'listening');
  const { port } = app.address() as { port: number };
  // An app may have one port for its health and its traffic.
  const settings: ForwarderSettings = { folder, ports: [port, port], egress: undefined, uid: UIDS.first, idleMs: 100 };
  const forwarder = spawn(process.execPath, [MAIN, JSON.stringify(settings)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(forwarder, 'exit');
  try {
    const [word] = await Promise.race([once(forwarder.stdout, 'data'), exited]);
    assert.equal(String(word), 'ready\n');
    const client = connect({ path: join(folder, `${port}.sock`), allowHalfOpen: true }).resume();
    await once(client, 'end');
    client.destroy();
    forwarder.stdin.end();
    assert.deepEqual(await exited, [0, null]);
  } finally {
    forwarder.kill('SIGKILL');
    app.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
