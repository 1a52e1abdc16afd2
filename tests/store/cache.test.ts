import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { openSqlite } from '../../src/store/engines/sqlite.ts';

test('SQLITE_CACHE_MB is what the writer keeps, and the second connection no more', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-cache-'));
  const set: string[] = [];
  const { pragma } = Database.prototype;
  Database.prototype.pragma = function (this: Database.Database, text: string, ...rest: [Database.PragmaOptions?]) {
    if (text.startsWith('cache_size')) set.push(text);
    return pragma.call(this, text, ...rest);
  };
  try {
    for (const megabytes of [2, 200]) await openSqlite(folder, megabytes, () => 0).close();
    assert.deepEqual(set, ['cache_size = -2048', 'cache_size = -2048', 'cache_size = -204800', 'cache_size = -8192']);
  } finally {
    Database.prototype.pragma = pragma;
    rmSync(folder, { recursive: true, force: true });
  }
});
