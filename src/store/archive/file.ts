import type Database from 'better-sqlite3';
import { type AnyTable, stored } from '../table.ts';
import { archivedActivities, archivedAudit, archivedSendAttempts, archivedSends, archivedVotes } from '../tables/archived.ts';

/** SQLite's archive, beside the database. */
export const ARCHIVE_FILE = 'archive.db';

/**
 * The layout of the file, stored as its `user_version`. After a change to the columns of an archived table (`columns.ts`), raise this
 * number. Also add a step that migrates older files. Development versions before 0.2.0 had lower numbers.
 */
const LAYOUT = 4;

function created(schema: string, table: AnyTable, key: string): string {
  const columns = stored(table).map(
    ({ name, column }) => `"${name}" ${column.sqlite.type}${column.nullable === true ? '' : ' not null'}`,
  );
  return `create table ${schema}."${table.name}" (${columns.join(', ')}, primary key (${key}))`;
}

const statements = (schema: string): readonly string[] => [
  created(schema, archivedActivities, '"organization_id", "id"'),
  created(schema, archivedVotes, '"organization_id", "activity_id", "user_id", "position"'),
  created(schema, archivedAudit, '"organization_id", "activity_id", "id"'),
  created(schema, archivedSends, '"organization_id", "id"'),
  created(schema, archivedSendAttempts, '"organization_id", "send_id", "number"'),
  `create index ${schema}."archived_sends_by_activity_id" on "archived_sends" ("organization_id", "activity_id", "id")`,
];

function make(db: Database.Database, schema: string): void {
  db.transaction(() => {
    for (const sql of statements(schema)) db.exec(sql);
    db.pragma(`${schema}.user_version = ${LAYOUT}`);
  }).immediate();
}

/** False for an empty file, which an interrupted first run leaves. Throws an error if the archive has another layout. */
export function isMade(db: Database.Database, schema: 'main' | 'archive'): boolean {
  const layout = Number(db.pragma(`${schema}.user_version`, { simple: true }));
  if (layout !== 0 && layout !== LAYOUT)
    throw new Error(
      `this program cannot read this archive: its layout is ${layout}, but this program knows ${LAYOUT}. Use the version that created it`,
    );
  return layout === LAYOUT;
}

/**
 * Attaches the file as `archive`, and creates its tables if the file is new. A commit, including the end of its journal (EXTRA), is
 * durable when it returns. Only then may the copied rows be deleted.
 */
export function attachArchive(db: Database.Database, file: string): void {
  try {
    attach(db, file);
  } catch (cause) {
    throw new Error(`${file} cannot be used: ${(cause as Error).message}`, { cause });
  }
}

function attach(db: Database.Database, file: string): void {
  db.prepare('ATTACH ? AS archive').run(file);
  db.pragma('archive.journal_mode = DELETE');
  db.pragma('archive.synchronous = EXTRA');
  if (!isMade(db, 'archive')) make(db, 'archive');
}
