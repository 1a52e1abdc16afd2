import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { DATABASE_FILE } from '../../base/files.ts';
import { MOVED } from '../archive/columns.ts';
import { ARCHIVE_FILE, attachArchive } from '../archive/file.ts';
import { connect, opened } from '../engines/sqlite.ts';
import { explained } from '../engines/sqlite-errors.ts';
import { markMadeBy } from '../engines/sqlite-made-by.ts';
import { byTable, type Target } from './target.ts';

const SCHEMAS = ['main', 'archive'].map(
  (schema) => `SELECT m.name AS table_name, c.name AS column_name
FROM ${schema}.sqlite_master m JOIN pragma_table_info(m.name, '${schema}') c
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
);

function targetIn(db: Database.Database, folder: string): Target {
  const conn = connect(db, (error) => explained(error, folder));
  return {
    conn,
    tables: async () => byTable(await conn.all(SCHEMAS.join(' UNION ALL '), [])),
    async insert({ name, columns }, rows) {
      const list = columns.map(([column]) => `"${column}"`).join(', ');
      const sql = `INSERT INTO "${name}" (${list}) VALUES (${columns.map(() => '?').join(', ')})`;
      for (const row of rows) await conn.run(sql, row);
    },
    async setLastNumber(table, number) {
      await conn.run('DELETE FROM sqlite_sequence WHERE name = ?', [table]);
      await conn.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', [table, number]);
    },
  };
}

function sync(file: string): void {
  const handle = openSync(file, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Makes the database, and the archive if the copy has one, in a folder that nothing else uses. The files are durable when it returns.
 * If it throws, they are of no use.
 */
export async function loadSqlite<T>(folder: string, load: (target: Target) => Promise<T>): Promise<T> {
  const [file, archive] = [DATABASE_FILE, ARCHIVE_FILE].map((name) => join(folder, name)) as [string, string];
  // Both are readable by this user only.
  for (const made of [file, archive]) closeSync(openSync(made, 'wx', 0o600));
  const db = opened(file, (made) => {
    markMadeBy(made);
    attachArchive(made, archive);
    // A half-written file is removed, so that no journal is needed.
    for (const schema of ['main', 'archive']) {
      made.pragma(`${schema}.journal_mode = OFF`);
      made.pragma(`${schema}.synchronous = OFF`);
    }
  });
  let isArchived: boolean;
  let value: T;
  try {
    db.exec('BEGIN IMMEDIATE');
    value = await load(targetIn(db, folder));
    isArchived = MOVED.some(({ to }) => db.prepare(`SELECT 1 FROM archive."${to.name}" LIMIT 1`).get() !== undefined);
    db.exec('COMMIT');
  } finally {
    db.close();
  }
  sync(file);
  if (isArchived) sync(archive);
  else rmSync(archive);
  return value;
}
