import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const support = (name: string): string => pathToFileURL(join(import.meta.dirname, '../support', name)).href;

const starting = (folder: string, then: string) => `
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startAnvil } from '${support('anvil.ts')}';
import { guard } from '${support('guard.ts')}';
import { startProcess } from '${support('process.ts')}';

test('does not come to stop what it started', async () => {
  const service = await startProcess({ DATA_DIR: join('${folder}', 'data') });
  const anvil = await startAnvil();
  const shell = spawn('sh', ['-c', 'sleep 600 & echo $!; wait'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  guard(shell);
  const [inShell] = await once(shell.stdout, 'data');
  shell.stdout.destroy();
  shell.unref();
  await service.ready();
  writeFileSync(join('${folder}', 'pids'), JSON.stringify([service.child.pid, anvil.pid, shell.pid, Number(inShell)]));
  ${then}
});
`;

const LONGEST_MS = 120_000;
const GONE_WITHIN_MS = 30_000;

type Ended = { code: unknown; out: string; pids: number[] };

/** Runs a file with this test, and gives the processes that it started. */
async function ended(then: string): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-failing-'));
  try {
    const file = join(folder, 'one.test.ts');
    writeFileSync(file, starting(folder, then));
    const { NODE_TEST_CONTEXT: _, DATABASE_URL: __, ...env } = process.env;
    const { code, out } = await new Promise<Omit<Ended, 'pids'>>((resolve) =>
      execFile(process.execPath, [file], { env, timeout: LONGEST_MS, killSignal: 'SIGKILL' }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? error?.signal, out: stdout + stderr }),
      ),
    );
    return { code, out, pids: JSON.parse(readFileSync(join(folder, 'pids'), 'utf8')) };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** A process that ended and that its new parent has not asked about yet is a zombie: it holds nothing. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function allGone(pids: readonly number[]): Promise<void> {
  assert.equal(pids.length, 4);
  const deadline = performance.now() + GONE_WITHIN_MS;
  try {
    while (pids.some(isThere)) {
      assert.ok(performance.now() < deadline, `still there: ${pids.map(isThere)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    for (const pid of pids.filter(isThere)) process.kill(pid, 'SIGKILL');
  }
}

test('a file whose test fails before it stops what it started ends, and takes it along', async () => {
  const { code, out, pids } = await ended("throw new Error('as meant');");
  assert.equal(code, 1, out);
  assert.match(out, /as meant/);
  await allGone(pids);
});

for (const signal of ['SIGKILL', 'SIGTERM'])
  test(`a file that ${signal} ends takes along what it started`, async () => {
    const { pids } = await ended(`process.kill(process.pid, '${signal}'); await new Promise(() => {});`);
    await allGone(pids);
  });
