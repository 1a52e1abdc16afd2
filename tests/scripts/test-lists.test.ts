import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { chosenFiles } from '../../scripts/test/choose.ts';
import { namesWithoutFile, planOf } from '../../scripts/test/files.ts';
import { ROOT } from './runner.ts';

const all = chosenFiles(ROOT, { only: undefined, named: [], from: ROOT });

test('each name in the lists of the runner, and in docs/testing.md, is that of a test file', () => {
  assert.deepEqual(namesWithoutFile(all), []);
  const rooms = readdirSync(join(ROOT, 'tests'));
  const quoted = [
    ...readFileSync(join(ROOT, 'docs/testing.md'), 'utf8').matchAll(/`(?:tests\/)?([a-z][\w/-]*[\w-])(\.test\.ts)?…?`/g),
  ];
  const named = quoted.map(([, name]) => name!).filter((name) => name.includes('/') && rooms.includes(name.split('/')[0]!));
  assert.ok(named.length > 40, named.join());
  for (const name of named)
    assert.ok(all.some((file) => file.startsWith(`tests/${name}`)) || existsSync(join(ROOT, 'tests', name)), name);
});

test('without --full the longest files are left out by name, and PostgreSQL runs what the engines can differ in', () => {
  const [release, full, plan] = [planOf(all, 'release'), planOf(all, 'full'), planOf(all, 'default')];
  assert.deepEqual([release.sqlite, release.left], [all, undefined]);
  const later = release.sqlite.filter((file) => !full.sqlite.includes(file));
  assert.ok(later.includes('tests/deploy/container.test.ts') && later.length < 30, later.join());
  assert.match(full.left!, /left out: .*e2e\/docs-chapters.*, and \d+ files on postgres\. /);
  assert.ok(release.postgres.length > full.postgres.length + 100);
  const left = all.filter((file) => !plan.sqlite.includes(file) && !plan.postgres.includes(file));
  assert.ok(left.length > 5 && left.length < all.length / 5, left.join());
  const nameOf = (file: string) => file.replace(/^tests\/|\.test\.ts$/g, '').replace(/^operating\/.*/, 'operating');
  for (const file of left) assert.ok(plan.left!.includes(nameOf(file)), file);
  for (const file of plan.postgres) assert.ok(full.postgres.includes(file), file);
  // Without PostgreSQL these test nothing.
  for (const file of ['tests/e2e/held-row.test.ts', 'tests/e2e/two-processes-mail.test.ts'])
    assert.ok(plan.postgres.includes(file) && !plan.sqlite.includes(file) && full.sqlite.includes(file), file);
  for (const file of [
    'tests/store/plans',
    'tests/store/contract',
    'tests/e2e/crash',
    'tests/e2e/otp-races',
    'tests/e2e/two-processes',
    'tests/conformance/runs',
  ])
    assert.ok(plan.postgres.includes(`${file}.test.ts`), file);
});

/** A test of the file runs on PostgreSQL alone. */
const SKIPS_ON_SQLITE = [
  /\bskip\s*[:=]\s*engineName (=== 'sqlite'|!== 'postgres')/,
  /engineName === 'postgres' \? false/,
  /if \((engineName === 'sqlite'|engineName !== 'postgres'|database === undefined)\) return( t\.skip\(.*\))?;/,
];

test('a file with a test that SQLite skips runs on PostgreSQL with --full', () => {
  const full = planOf(all, 'full');
  const skipping = full.sqlite.filter((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return SKIPS_ON_SQLITE.some((form) => form.test(text));
  });
  assert.ok(skipping.length > 25, skipping.join());
  assert.deepEqual(
    skipping.filter((file) => !full.postgres.includes(file)),
    [],
  );
});
