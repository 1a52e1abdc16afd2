import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const IMPORTS = `import { test } from 'node:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
`;

/** The runner of a checkout that has these test files only; and what it left in the temporary folder. */
function runner(files: Record<string, string>, ...more: string[]): { code: number | null; text: string; left: string[] } {
  const root = mkdtempSync(join(tmpdir(), 'countersign-runner-'));
  try {
    const temporary = join(root, 'tmp');
    for (const folder of ['tests/a', 'scripts', 'tmp']) mkdirSync(join(root, folder), { recursive: true });
    for (const path of ['scripts/test.ts', 'scripts/test', 'tests/support', 'package.json'])
      cpSync(join(ROOT, path), join(root, path), { recursive: true });
    symlinkSync(join(ROOT, 'src'), join(root, 'src'));
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, `tests/a/${name}.test.ts`), IMPORTS + text);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const args = [join(root, 'scripts/test.ts'), '--only', 'tests/a/', '--engine', 'sqlite', ...more];
    const done = spawnSync(process.execPath, args, { env: { ...env, TMPDIR: temporary }, encoding: 'utf8' });
    return { code: done.status, text: done.stdout + done.stderr, left: readdirSync(temporary) };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

test('skipped tests are listed by their reason', () => {
  const { code, text } = runner({
    one: "test('a', { skip: 'no moon' }, () => {}); test('b', { skip: 'no moon' }, () => {}); test('c', () => {});",
    two: "test('d', (t) => t.skip('no moon')); test('e', { todo: 'tomorrow' }, () => {});",
  });
  assert.equal(code, 0, text);
  assert.match(
    text,
    /^skipped \(no moon\): 3 tests in tests\/a\/(one\.test\.ts \(2\), tests\/a\/two|two\.test\.ts, tests\/a\/one)/m,
  );
  assert.match(text, /^skipped \(to do, tomorrow\): 1 test in tests\/a\/two\.test\.ts$/m);
  assert.match(text, /^1 passed, 0 failed, 4 skipped$/m);
});

test('a skip without a reason fails', () => {
  const { code, text } = runner({ one: "test('a', { skip: true }, () => {}); test('b', () => {});" });
  assert.equal(code, 1, text);
  assert.match(text, /✗ a: skipped, and does not say why/);
  assert.match(text, /^1 passed, 1 failed, 1 skipped$/m);
});

test('what tests leave in the temporary folder is named, counted as a failure and removed', () => {
  const clean = "test('a', () => rmSync(mkdtempSync(join(tmpdir(), 'gone-')), { recursive: true }));";
  const leaving = "test('b', () => mkdirSync(join(tmpdir(), 'forgotten')));";
  const kept = runner({ clean });
  assert.deepEqual([kept.code, kept.left], [0, []], kept.text);
  const { code, text, left } = runner({ clean, leaving });
  assert.deepEqual([code, left], [1, []], text);
  assert.match(text, /^FAIL the tests left in the temporary folder: forgotten$/m);
  assert.match(text, /^2 passed, 1 failed$/m);
  const failing = runner({ leaving: `${leaving} test('c', () => { throw new Error('no'); });` });
  assert.match(failing.text, /^note the tests left in the temporary folder: forgotten$/m);
  assert.match(failing.text, /^1 passed, 1 failed$/m);
});

test('a file that takes too long is ended, whether it hears signals or not, and the run goes on', () => {
  const files = {
    deaf: "process.on('SIGTERM', () => {}); test('a', () => {}); test('b', async () => { for (;;) await null; });",
    good: "test('c', () => {});",
    waits: "test('d', () => new Promise((resolve) => setTimeout(resolve, 600_000)));",
  };
  const { code, text } = runner(files, '--timeout', '6');
  assert.equal(code, 1, text);
  for (const name of ['deaf', 'waits'])
    assert.match(
      text,
      new RegExp(`^FAIL tests/a/${name}\\.test\\.ts\n +✗ it takes longer than 6 s, and is ended with SIGTERM$`, 'm'),
    );
  assert.match(text, /✗ it does not hear SIGTERM, and is ended with SIGKILL$/m);
  assert.match(text, /^ok {3}tests\/a\/good\.test\.ts/m);
  assert.match(text, /\n1 passed, 2 failed\n$/);
});
