import { type CreateIndexBuilder, sql } from 'kysely';
import type { EngineName } from '../columns.ts';
import type { Builder } from '../schema.ts';
import type { Migration } from './migration.ts';

const written = (db: Builder, text: string) => ({ compile: () => sql.raw(text).compile(db) });

/** By the month of a send's id. On SQLite the archive is a file of its own: see `src/store/archive/file.ts`. */
const archived = (db: Builder, table: string, id: string, key: string) => [
  written(db, `create table "archived_${table}" (like "${table}") partition by range ("${id}")`),
  written(db, `alter table "archived_${table}" add constraint "archived_${table}_key" primary key (${key})`),
];

const archives = (db: Builder, engine: EngineName) =>
  engine === 'sqlite'
    ? []
    : [
        ...archived(db, 'sends', 'id', '"organization_id", "id"'),
        ...archived(db, 'send_attempts', 'send_id', '"organization_id", "send_id", "number"'),
        db.schema
          .createIndex('archived_sends_by_activity_id')
          .on('archived_sends')
          .columns(['organization_id', 'activity_id', 'id']),
      ];

/** Sends that are not over are few among many. */
const notOver = (index: CreateIndexBuilder) => index.where(sql<boolean>`state in ('queued', 'signed', 'sent', 'included')`);

export const sendCare: Migration = {
  version: 31,
  name: 'send care',
  up: (db, _types, engine) => [
    db.schema.createIndex('sends_by_activity_id').on('sends').columns(['organization_id', 'activity_id', 'id']),
    notOver(db.schema.createIndex('sends_not_over').on('sends') as never).columns(['caip2', 'state', 'created_at'] as never),
    // A process takes the accounts of the networks that it serves.
    db.schema.createIndex('send_accounts_by_network').on('send_accounts').columns(['caip2', 'due_at']),
    db.schema.dropIndex('send_accounts_by_due_at'),
    ...archives(db, engine),
  ],
};
