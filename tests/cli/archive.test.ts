import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { archiveCommand } from '../../src/cli/archive.ts';
import { UsageError } from '../../src/cli/client.ts';
import { MARK_FILE } from '../../src/store/engines/sqlite-mark.ts';
import { openStore } from '../../src/store/store.ts';
import { cli } from '../support/cli.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'countersign-archive-cli-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));

async function archive(args: readonly string[], env: Record<string, string> = {}) {
  const { code, out, err } = await cli(['archive', ...args], { env: { DATA_DIR: dataDir, ...env } });
  return { code, text: out, complaint: err };
}

const NOW = Date.parse('2025-03-10T12:00:00Z');

test('a time that is missing, malformed, in the future or too recent is refused, and nothing is made', async () => {
  const refused = (values: object, expected: RegExp) =>
    assert.rejects(archiveCommand({ json: false, ...values }, NOW), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, expected);
      return true;
    });
  await refused({}, /--before 2025-01-31/);
  for (const before of [
    '',
    'yesterday',
    '2025-1-1',
    '2025-02-30',
    '2025-13-01',
    '2025-01-01T00:00:00',
    '2025-01-01T00:00:00+02:00',
  ])
    await refused({ before }, /must be a day such as 2025-01-31, or a time in UTC/);
  for (const before of ['2025-03-08T12:00:00.001Z', '2025-03-09', '2025-03-10', '2026-01-01', '9999-12-31'])
    await refused({ before }, /at least two days ago: 2025-03-08T12:00:00\.000Z or earlier/);
  for (const batch of ['0', '-1', '1.5', '10001', 'many'])
    await refused({ before: '2025-01-01', batch }, /--batch must be a whole number from 1 to 10000/);
  for (const args of [[], ['--before', '2025-01-01', 'more'], ['--before', 'tomorrow']]) {
    const { code, text } = await archive(args);
    assert.deepEqual([code, text], [2, ''], args.join(' '));
  }
  assert.deepEqual(readdirSync(dataDir), []);
});

test('its help has examples', async () => {
  const { code, text } = await archive(['--help']);
  assert.equal(code, 0);
  assert.match(text, /^Usage: countersign archive --before DATE/);
  assert.match(text, /first moment in UTC/);
  assert.match(text, /countersign archive --before 2025-01-01 --dry-run/);
});

test('--compact is for SQLite', async () => {
  const { code, complaint } = await archive(['--before', '2025-01-01', '--compact'], { DATABASE_URL: 'postgres://nowhere/x' });
  assert.equal(code, 2);
  assert.match(complaint, /--compact is for SQLite/);
});

test('no database, and one that this program has not migrated', async () => {
  const none = await archive(['--before', '2025-01-01']);
  assert.deepEqual([none.code, none.text], [1, '']);
  assert.match(none.complaint, /there is no database in .*: check DATA_DIR/);
  const store = openStore({ folder: dataDir, url: undefined, poolSize: 1 });
  await store.close();
  const unmigrated = await archive(['--before', '2025-01-01']);
  assert.equal(unmigrated.code, 1);
  assert.match(unmigrated.complaint, /the database is empty: start the service once/);
  const again = openStore({ folder: dataDir, url: undefined, poolSize: 1 });
  await again.migrate(1);
  await again.close();
  const empty = await archive(['--before', '2025-01-01', '--json']);
  assert.equal(empty.code, 0, empty.complaint);
  const { archive: file, ...told } = JSON.parse(empty.text);
  assert.equal(file, join(dataDir, 'archive.db'));
  assert.deepEqual(told, { before: '2025-01-01T00:00:00.000Z', dryRun: false, activities: 0, bytes: 0 });
  assert.equal(existsSync(file), false, 'nothing to archive makes no file');
});

test('a database that lacks its last commits is refused, as at a start', async () => {
  const mark = join(dataDir, MARK_FILE);
  const known = readFileSync(mark, 'utf8');
  writeFileSync(mark, String(Number(known) + 5));
  for (const more of [[], ['--dry-run']]) {
    const { code, complaint } = await archive(['--before', '2025-01-01', ...more]);
    assert.equal(code, 1);
    assert.match(complaint, /lacks the last 5 commits.* Put the original files back/);
  }
  writeFileSync(mark, known);
  assert.equal((await archive(['--before', '2025-01-01'])).code, 0);
});
