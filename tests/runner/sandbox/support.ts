import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type App, startApp } from '../../../src/runner/sandbox/app.ts';
import type { AppSpec } from '../../../src/runner/sandbox/app-spec.ts';
import { findCgroups } from '../../../src/runner/sandbox/cgroups/find.ts';
import { type Executable, verifyExecutable } from '../../../src/runner/sandbox/executable.ts';
import type { Sandbox } from '../../../src/runner/sandbox/sandbox.ts';

/** User IDs of nothing else on this machine. */
export const UIDS = { first: 1_990_000_000, count: 32 };

export const KEY = Buffer.from('the quorum key of a test, 32 byt');

function works(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Why the sandbox cannot be tested here. False if it can. */
export function cannotRun(): string | false {
  if (process.getuid?.() !== 0) return 'apps get user IDs of their own, which takes root';
  if (!works('bwrap', ['--version'])) return 'bubblewrap is not installed';
  if (!works('musl-gcc', ['--version'])) return 'musl-gcc is not installed (Debian: musl-tools)';
  const asUser = ['--reuid', String(UIDS.first), '--clear-groups', '--inh-caps=-all', '--bounding-set=-all', 'bwrap'];
  if (!works('setpriv', [...asUser, '--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', '--', '/bin/true']))
    return 'bubblewrap cannot make namespaces here';
  try {
    findCgroups();
  } catch (error) {
    return (error as Error).message;
  }
  return false;
}

const SOURCES = {
  example: fileURLToPath(new URL('../../../examples/verifiable-app/app.c', import.meta.url)),
  hostile: fileURLToPath(new URL('./hostile.c', import.meta.url)),
};

export function compile(name: keyof typeof SOURCES, folder: string): string {
  const file = join(folder, name);
  execFileSync('musl-gcc', ['-static', '-O1', '-w', '-o', file, SOURCES[name]]);
  return file;
}

export const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

let copies = 0;

/** Verifies the file against this digest, by default its own. */
export async function verified(file: string, folder: string, digest = sha256(readFileSync(file))): Promise<Executable> {
  const fd = openSync(file, 'r');
  try {
    copies += 1;
    return await verifyExecutable(fd, digest, folder, `copy-${process.pid}-${copies}`);
  } finally {
    closeSync(fd);
  }
}

export const LIMITS = { memoryBytes: 32 << 20, processes: 16, cpus: 0.5, tmpBytes: 1 << 20 };

const running = new Set<App>();

/** Stops the apps of tests that failed: a running one would keep this process alive. */
export const stopAll = () => Promise.all([...running].map((app) => app.stop(0, 'The tests have ended.')));

/** An app, with its lines so far. */
export async function start(
  sandbox: Sandbox,
  executable: Executable,
  args: string[],
  over: Partial<AppSpec> = {},
): Promise<App & { lines: string[] }> {
  const lines: string[] = [];
  const onLine = (_: string, line: string) => lines.push(line);
  const spec = { executable, args, environment: {}, key: KEY, limits: LIMITS, ports: [8080], onLine, ...over };
  const app = await startApp(sandbox, spec);
  running.add(app);
  void app.ended.then(() => running.delete(app));
  return { ...app, lines };
}

export function get(socketPath: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, agent: false, timeout: 10_000 }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve(body));
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', reject);
    sent.end();
  });
}

/** The example's answer, which proves that it has its key. It listens a moment after its start. */
export async function answers(app: App): Promise<void> {
  for (let attempt = 0; ; attempt += 1)
    try {
      assert.deepEqual(JSON.parse(await get(app.socketOf(8080), '/')), { quorumKeySha256: sha256(KEY).toString('hex') });
      return;
    } catch (error) {
      if (attempt > 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
}
