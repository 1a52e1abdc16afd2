import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { sbomOf } from '../../scripts/package/sbom.ts';
import { datedChangelog, demandLater } from '../../scripts/release/changes.ts';
import { demandPassed, notePassed, treeOf } from '../../scripts/test/passed.ts';
import { isFull, isRelease } from '../support/full.ts';
import { asked } from './runner.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const IDENTITY = {
  GIT_AUTHOR_NAME: 'R',
  GIT_AUTHOR_EMAIL: 'r@example.com',
  GIT_COMMITTER_NAME: 'R',
  GIT_COMMITTER_EMAIL: 'r@example.com',
};

test('a version comes after the present one, and is not released without notes', () => {
  for (const [now, next] of [
    ['0.2.0', '0.3.0'],
    ['0.9.9', '0.10.0'],
    ['0.2.9', '1.0.0'],
  ] as const)
    demandLater(now, next);
  for (const next of ['0.2.0', '0.1.9', '0.2', '0.3.0-rc.1', 'v1.0.0', '../x'])
    assert.throws(() => demandLater('0.2.0', next), next);
  const notes = '# Changelog\n\n## Unreleased\n\n- A new thing.\n\n## 0.2.0 (2026-01-01)\n\n- An old one.\n';
  assert.equal(
    datedChangelog(notes, '0.3.0', '2026-02-02'),
    '# Changelog\n\n## Unreleased\n\n## 0.3.0 (2026-02-02)\n\n- A new thing.\n\n## 0.2.0 (2026-01-01)\n\n- An old one.\n',
  );
  assert.throws(() => datedChangelog(notes.replace('- A new thing.\n', ''), '0.3.0', '2026-02-02'), /nothing to release/);
});

test('a run counts for the files that it saw, committed and unchanged, and for no others', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'countersign-passed-'));
  t.after(() => rmSync(root, { recursive: true }));
  const run = (...args: string[]) => execFileSync('git', args, { cwd: root, env: { ...process.env, ...IDENTITY } });
  const refused = { message: /have not passed on these files: run npm test -- --release first/ };
  const commit = (text: string) => {
    writeFileSync(join(root, 'a'), text);
    run('add', '--all');
    run('commit', '--quiet', '--message', text);
  };
  assert.equal(treeOf(root), undefined, 'no git');
  run('init', '--quiet');
  writeFileSync(join(root, '.gitignore'), '.cache\n');
  commit('one');
  assert.throws(() => demandPassed(root), refused);
  const began = treeOf(root);
  assert.ok(notePassed(root, began));
  demandPassed(root);
  writeFileSync(join(root, 'a'), 'changed');
  assert.throws(() => demandPassed(root), refused);
  assert.ok(!notePassed(root, began) && !notePassed(root, treeOf(root)));
  commit('two');
  assert.throws(() => demandPassed(root), refused);
  assert.ok(!notePassed(root, began), 'the files changed while the tests ran');
});

test('a whole run of the tests of a release notes its files if it passes, and a part of a run does not', {
  skip: !isFull && 'with --full',
}, () => {
  const files = { '../../scripts/check.ts': '', good: "test('a', () => {});" };
  const run = (more: Record<string, string>, ...args: string[]) => asked({ ...files, ...more }, '--release', ...args);
  const passed = run({});
  assert.deepEqual([passed.code, passed.isNoted], [0, true], passed.text);
  const failed = run({ bad: "test('b', () => { throw new Error('no'); });" });
  assert.deepEqual([failed.code, failed.isNoted], [1, false], failed.text);
  assert.equal(run({}, '--only', 'tests/a/').isNoted, false);
});

const skip = isRelease ? false : 'it makes a release of a clone, which only --release does';
/** Inside, so that it finds the packages. */
let clone: string;
const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, encoding: 'utf8' });
const release = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/release.ts', ...args], {
    cwd: clone,
    encoding: 'utf8',
    env: { ...process.env, ...IDENTITY },
  });

before(() => {
  if (!isRelease) return;
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  clone = mkdtempSync(join(ROOT, '.cache/clone-'));
  execFileSync('git', ['clone', '--quiet', '--shared', ROOT, clone]);
  symlinkSync(join(ROOT, 'console/node_modules'), join(clone, 'console/node_modules'));
  appendFileSync(join(clone, '.git/info/exclude'), 'console/node_modules\n');
});
after(() => {
  if (clone !== undefined) rmSync(clone, { recursive: true, force: true });
});

test('a dry run and a refused release change nothing', { skip }, () => {
  assert.match(release('9.0.0', '--dry-run').stderr, /have not passed on these files: run npm test -- --release first/);
  assert.equal(git('status', '--porcelain'), '');
  assert.ok(notePassed(clone, treeOf(clone)));
  const dry = release('9.0.0', '--dry-run');
  assert.equal(dry.status, 0, dry.stderr);
  assert.match(dry.stdout, /^would change package\.json, package-lock\.json, src\/base\/version\.ts, CHANGELOG\.md/);
  assert.equal(git('status', '--porcelain'), '');
  appendFileSync(join(clone, 'README.md'), '\n');
  assert.match(release('9.0.0').stderr, /^the work tree has changes/);
  git('checkout', '--quiet', 'README.md');
  assert.match(release('0.0.1').stderr, /^0\.0\.1 does not come after/);
});

test('a release sets the version everywhere, commits, tags, and makes what is published', { skip }, () => {
  assert.ok(notePassed(clone, treeOf(clone)));
  const made = release('9.0.0', '--without-freeze');
  assert.equal(made.status, 0, made.stderr);
  assert.equal(git('status', '--porcelain'), '');
  assert.equal(git('describe', '--exact-match').trim(), 'v9.0.0');
  assert.match(git('log', '-1', '--format=%s'), /^Version 9\.0\.0$/m);
  execFileSync(process.execPath, ['scripts/generate.ts', '--check'], { cwd: clone, stdio: 'pipe' });
  const out = join(clone, '.cache/release/9.0.0');
  const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('  ') as [string, string]);
  assert.deepEqual(
    sums.map(([, name]) => name),
    ['countersign-9.0.0.cdx.json', 'countersign-9.0.0.tgz'],
  );
  for (const [sum, name] of sums)
    assert.equal(
      createHash('sha256')
        .update(readFileSync(join(out, name)))
        .digest('hex'),
      sum,
    );
  const sbom = readFileSync(join(out, 'countersign-9.0.0.cdx.json'), 'utf8');
  const { metadata, components } = JSON.parse(sbom);
  assert.equal(sbom, sbomOf(clone, metadata.timestamp), 'the same bytes again');
  assert.equal(metadata.component.purl, 'pkg:npm/countersign@9.0.0');
  const names = components.map(({ name }: { name: string }) => name);
  for (const name of ['better-sqlite3', '@noble/curves', 'kysely']) assert.ok(names.includes(name), name);
  for (const name of ['esbuild', 'typescript']) assert.ok(!names.includes(name), name);
});
