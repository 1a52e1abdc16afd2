import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { DATABASE_FILE } from '../../src/base/files.ts';
import { openMark, refuseLost } from '../../src/store/engines/sqlite-mark.ts';
import { engineName } from '../support/database.ts';

test('a commit that failed, as on a full disk, is not missed at the next start', {
  skip: engineName !== 'sqlite' && 'about SQLite',
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-mark-'));
  const db = new Database(join(folder, DATABASE_FILE));
  try {
    db.exec('CREATE TABLE kept (name text PRIMARY KEY)');
    const mark = openMark(db, folder);
    const commit = (work: string, end: 'COMMIT' | 'ROLLBACK') => {
      db.exec(`BEGIN; ${work}`);
      mark.count();
      db.exec(end);
      if (end === 'COMMIT') mark.keep();
    };
    commit("INSERT INTO kept VALUES ('a')", 'COMMIT');
    commit("INSERT INTO kept VALUES ('b')", 'ROLLBACK');
    commit('', 'COMMIT');
    assert.equal(refuseLost(db, folder), 1);
    commit("INSERT INTO kept VALUES ('c')", 'COMMIT');
    assert.equal(refuseLost(db, folder), 2);
    mark.close();
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
});
