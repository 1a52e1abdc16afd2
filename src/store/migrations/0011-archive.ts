import { sql } from 'kysely';
import type { EngineName } from '../columns.ts';
import type { Builder } from '../schema.ts';
import type { Migration } from './migration.ts';

const written = (db: Builder, text: string) => ({ compile: () => sql.raw(text).compile(db) });

/** Tables in parts, by the time in an activity's id. A part can be detached, and a look-up by id asks one part. */
const byMonth = (db: Builder, table: string, id: string, key: string) => [
  written(db, `create table "archived_${table}" (like "${table}") partition by range ("${id}")`),
  written(db, `alter table "archived_${table}" add constraint "archived_${table}_key" primary key (${key})`),
];

/** On SQLite the archived rows are in a file of their own: see `src/store/archive/file.ts`. */
const partitioned = (db: Builder, engine: EngineName) =>
  engine === 'sqlite'
    ? []
    : [
        ...byMonth(db, 'activities', 'id', '"organization_id", "id"'),
        ...byMonth(db, 'votes', 'activity_id', '"organization_id", "activity_id", "user_id", "position"'),
        ...byMonth(db, 'audit', 'activity_id', '"organization_id", "activity_id", "id"'),
      ];

export const archive: Migration = {
  version: 11,
  name: 'archive',
  up(db, { id, bytes, int }, engine) {
    const fingerprints = db.schema
      .createTable('archived_fingerprints')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('fingerprint', bytes, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addPrimaryKeyConstraint('archived_fingerprints_key', ['organization_id', 'fingerprint']);
    return [
      db.schema.alterTable('organizations').addColumn('archived_until', int, (c) => c.notNull().defaultTo(0)),
      engine === 'sqlite' ? fingerprints.modifyEnd(sql`without rowid`) : fingerprints,
      db.schema.createIndex('audit_by_activity_id_id').on('audit').columns(['organization_id', 'activity_id', 'id']),
      ...partitioned(db, engine),
    ];
  },
};
