import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const HELPER = pathToFileURL(join(import.meta.dirname, '../support/process.ts')).href;

const failing = (folder: string) => `
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startProcess } from '${HELPER}';

test('fails before it stops its service', async () => {
  const service = await startProcess({ DATA_DIR: join('${folder}', 'data') });
  await service.ready();
  writeFileSync(join('${folder}', 'pid'), String(service.child.pid));
  throw new Error('as meant');
});
`;

const LONGEST_MS = 120_000;

test('a file whose test fails before it stops its service ends, and its service too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-failing-'));
  try {
    const file = join(folder, 'one.test.ts');
    writeFileSync(file, failing(folder));
    const { NODE_TEST_CONTEXT: _, DATABASE_URL: __, ...env } = process.env;
    const { code, out } = await new Promise<{ code: unknown; out: string }>((resolve) =>
      execFile(process.execPath, [file], { env, timeout: LONGEST_MS, killSignal: 'SIGKILL' }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? error?.signal, out: stdout + stderr }),
      ),
    );
    assert.equal(code, 1, out);
    assert.match(out, /as meant/);
    assert.ok(existsSync(join(folder, 'pid')), out);
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
