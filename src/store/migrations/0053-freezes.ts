import type { Migration } from './migration.ts';

export const freezes: Migration = {
  version: 53,
  name: 'freezes',
  up: (db, { id, text, int, flag }) => [
    db.schema
      .createTable('freezes')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('target', text, (c) => c.notNull())
      .addColumn('activity_id', id, (c) => c.notNull())
      .addColumn('user_id', id, (c) => c.notNull())
      .addColumn('reason', text, (c) => c.notNull())
      .addColumn('keeps_sends', flag, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('freezes_key', ['organization_id', 'id']),
    db.schema.alterTable('organizations').addColumn('freeze_count', int, (c) => c.notNull().defaultTo(0)),
    db.schema.alterTable('users').addColumn('frozen', flag, (c) => c.notNull().defaultTo(0)),
  ],
};
