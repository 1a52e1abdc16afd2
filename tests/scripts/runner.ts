/** The runner of tests in a checkout of its own, which has these test files only. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
const IMPORTS = `import { test } from 'node:test';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
`;

/** Leaves a mark of its name, and says whether it is the first. */
export const FIRST = `const first = (name) => {
  const mark = join(process.env.MARKS, name);
  if (existsSync(mark)) return false;
  writeFileSync(mark, '');
  return true;
};
`;

/** `isNoted`: whether `npm run release` would count the run. */
export type Ran = { code: number | null; text: string; left: string[]; isNoted: boolean };

/** A commit of all files of a checkout. */
function commitAll(root: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=R', '-c', 'user.email=r@example.com', ...args], { cwd: root });
  writeFileSync(join(root, '.gitignore'), ['tmp', 'marks', 'node_modules', '.cache'].join('\n'));
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'All');
}

/** The runner of a checkout that has these test files only. Names of helpers end in .ts. */
export const runner = (files: Record<string, string>, ...more: string[]): Ran => asked(files, '--only', 'tests/a/', ...more);

export function asked(files: Record<string, string>, ...more: string[]): Ran {
  const root = mkdtempSync(join(tmpdir(), 'countersign-runner-'));
  try {
    const temporary = join(root, 'tmp');
    for (const folder of ['tests/a', 'scripts', 'tmp', 'marks']) mkdirSync(join(root, folder), { recursive: true });
    for (const path of ['scripts/test.ts', 'scripts/test', 'tests/support', 'package.json'])
      cpSync(join(ROOT, path), join(root, path), { recursive: true });
    symlinkSync(join(ROOT, 'src'), join(root, 'src'));
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    for (const [name, text] of Object.entries(files)) {
      const file = name.endsWith('.ts') ? name : `${name}.test.ts`;
      writeFileSync(join(root, 'tests/a', file), IMPORTS + text);
    }
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const isRelease = more.includes('--release');
    if (isRelease) commitAll(root);
    const args = [join(root, 'scripts/test.ts'), ...(isRelease ? [] : ['--engine', 'sqlite']), ...more];
    const done = spawnSync(process.execPath, args, {
      env: { ...env, TMPDIR: temporary, MARKS: join(root, 'marks'), INIT_CWD: join(root, 'tests') },
      encoding: 'utf8',
    });
    const isNoted = existsSync(join(root, '.cache/release-passed'));
    return { code: done.status, text: done.stdout + done.stderr, left: readdirSync(temporary), isNoted };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
