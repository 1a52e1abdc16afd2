import type Database from 'better-sqlite3';
import { type AnyTable, stored } from '../table.ts';
import { archivedActivities, archivedAudit, archivedSendAttempts, archivedSends, archivedVotes } from '../tables/archived.ts';

/** SQLite's archive, beside the database. */
export const ARCHIVE_FILE = 'archive.db';

/**
 * The layout of the file, as its `user_version`. A change of the columns of a table that is moved (`columns.ts`) needs another number, and
 * a step that brings older files to it.
 */
const LAYOUT = 3;

type Step = (schema: string, db: Database.Database) => string;

/** With all columns of now: later steps find theirs in it. */
const created =
  (table: AnyTable, key: string): Step =>
  (schema) => {
    const columns = stored(table).map(
      ({ name, column }) => `"${name}" ${column.sqlite.type}${column.nullable === true ? '' : ' not null'}`,
    );
    return `create table ${schema}."${table.name}" (${columns.join(', ')}, primary key (${key}))`;
  };

/** A column that tables lack which were made before it. `definition`: with the value of the rows that they have. */
const widened =
  ({ name }: AnyTable, column: string, definition: string): Step =>
  (schema, db) => {
    const columns = db.pragma(`${schema}.table_info("${name}")`) as { name: string }[];
    if (columns.some((one) => one.name === column)) return '';
    return `alter table ${schema}."${name}" add column "${column}" ${definition}`;
  };

/** What each layout added. */
const ADDED: readonly Step[][] = [
  [
    created(archivedActivities, '"organization_id", "id"'),
    created(archivedVotes, '"organization_id", "activity_id", "user_id", "position"'),
    created(archivedAudit, '"organization_id", "activity_id", "id"'),
  ],
  [
    created(archivedSends, '"organization_id", "id"'),
    created(archivedSendAttempts, '"organization_id", "send_id", "number"'),
    (schema) =>
      `create index ${schema}."archived_sends_by_activity_id" on "archived_sends" ("organization_id", "activity_id", "id")`,
  ],
  [widened(archivedSends, 'spent', "text not null default '0'")],
];

const layoutOf = (db: Database.Database, schema: string): number => Number(db.pragma(`${schema}.user_version`, { simple: true }));

function refuse(layout: number): never {
  throw new Error(`it is no archive that this program can read: its layout is ${layout}, and this program knows ${LAYOUT}`);
}

/** Brings an archive of an older layout to this one. */
function bringTo(db: Database.Database, schema: string, layout: number): void {
  db.transaction(() => {
    for (const step of ADDED.slice(layout).flat()) db.exec(step(schema, db));
    db.pragma(`${schema}.user_version = ${LAYOUT}`);
  }).immediate();
}

/** Throws an error if the archive that `db` opened is of a newer layout; an older one gets this one. An empty file is what an interrupted first run leaves. */
export function isReadable(db: Database.Database): boolean {
  const layout = layoutOf(db, 'main');
  if (layout < 0 || layout > LAYOUT) refuse(layout);
  if (layout === 0) return false;
  if (layout < LAYOUT) bringTo(db, 'main', layout);
  return true;
}

/**
 * Attaches the file as `archive`, and makes its tables where it is new. A commit is durable when it returns, also the end of its
 * journal (EXTRA): what is copied may be deleted.
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
  const layout = layoutOf(db, 'archive');
  if (layout < 0 || layout > LAYOUT) refuse(layout);
  if (layout < LAYOUT) bringTo(db, 'archive', layout);
}
