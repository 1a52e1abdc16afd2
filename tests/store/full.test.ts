import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { Busy, Damaged, NoSpace } from '../../src/base/errors.ts';
import { GroupCommit } from '../../src/store/engines/group-commit.ts';
import { openSqlite } from '../../src/store/engines/sqlite.ts';
import { explained } from '../../src/store/engines/sqlite-errors.ts';
import { engineName } from '../support/database.ts';

const onlySqlite = { skip: engineName !== 'sqlite' && 'about SQLite' };

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-full-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('a group for which there is no space is not written, all of it is told so, and the next one is', onlySqlite, () =>
  inFolder(async (folder) => {
    const db = new Database(join(folder, 'some.db'));
    db.pragma('journal_mode = WAL');
    db.exec('CREATE TABLE kept (text)');
    const insert = db.prepare('INSERT INTO kept VALUES (?)');
    const put = (text: string) => () => {
      try {
        return insert.run(text).changes;
      } catch (error) {
        throw explained(error, folder);
      }
    };
    const conn = { engine: 'sqlite', all: () => [], run: () => 0 } as const;
    const jobs = new GroupCommit(
      db,
      conn,
      { count() {}, keep() {}, close() {} },
      () => 0,
      () => {},
      (error) => explained(error, folder),
    );
    db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`);
    const large = 'x'.repeat(100_000);
    for (const atomic of [true, false]) {
      const [small, none] = await Promise.allSettled([jobs.run(put('small'), true), jobs.run(put(large), atomic)]);
      // SQLite undoes the statement, or the whole group. Every confirmed write is stored.
      for (const one of [small, none])
        if (one.status === 'rejected') assert.ok(one.reason instanceof NoSpace, String(one.reason));
      assert.equal(none.status, 'rejected');
      const written = db.prepare('SELECT count(*) FROM kept').pluck().get();
      assert.equal(written, small.status === 'fulfilled' ? 1 : 0);
      db.exec('DELETE FROM kept');
    }
    await assert.rejects(jobs.run(put(large), false), NoSpace);
    db.pragma('max_page_count = 1000000');
    await jobs.run(put(large), true);
    assert.equal(db.prepare('SELECT count(*) FROM kept').pluck().get(), 1);
    db.close();
  }),
);

test('what the disk reports is told apart from what the program does wrong', onlySqlite, () =>
  inFolder(async (folder) => {
    const said = (code: string) => explained(new Database.SqliteError('it failed', code), folder);
    assert.ok(said('SQLITE_FULL') instanceof NoSpace);
    for (const code of ['SQLITE_IOERR', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_FSYNC', 'SQLITE_CANTOPEN']) {
      const error = said(code) as Busy;
      assert.ok(error instanceof Busy && !(error instanceof NoSpace), code);
      assert.equal((error.cause as { code: string }).code, code);
    }
    for (const code of ['SQLITE_CORRUPT', 'SQLITE_CORRUPT_INDEX', 'SQLITE_NOTADB', 'SQLITE_IOERR_READ'])
      assert.ok(said(code) instanceof Damaged, code);
    for (const code of ['SQLITE_ERROR', 'SQLITE_CONSTRAINT_UNIQUE']) assert.equal((said(code) as { code: string }).code, code);
    const other = new Error('SQLITE_FULL');
    assert.equal(explained(other, folder), other);
  }),
);

test('a lock that cannot be used is not another process', onlySqlite, () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, 'countersign.lock'), 'this is no database, and long enough to be looked at as one'.repeat(20));
    assert.throws(() => openSqlite(folder, 8, () => 0), /countersign\.lock cannot be used: file is not a database/);
    rmSync(join(folder, 'countersign.lock'));
    const first = openSqlite(folder, 8, () => 0);
    assert.throws(() => openSqlite(folder, 8, () => 0), /another process already uses this data folder/);
    await first.close();
  }),
);
