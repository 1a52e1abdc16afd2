import type { Migration } from './migration.ts';

export const voters: Migration = {
  version: 4,
  name: 'voters',
  up(db, { text, int }) {
    return [
      // Existing votes get 0: their users are shown in their current state.
      db.schema.alterTable('votes').addColumn('user_version', int, (c) => c.notNull().defaultTo(0)),
      db.schema.alterTable('votes').addColumn('position', int, (c) => c.notNull().defaultTo(0)),
      db.schema
        .createTable('user_versions')
        .addColumn('organization_id', text, (c) => c.notNull())
        .addColumn('user_id', text, (c) => c.notNull())
        .addColumn('version', int, (c) => c.notNull())
        .addColumn('content', text, (c) => c.notNull())
        .addPrimaryKeyConstraint('user_versions_key', ['organization_id', 'user_id', 'version']),
    ];
  },
};
