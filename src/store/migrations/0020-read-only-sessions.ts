import type { Migration } from './migration.ts';

export const readOnlySessions: Migration = {
  version: 20,
  name: 'read-only-sessions',
  up: (db, { id, int, bytes }) => [
    db.schema
      .createTable('read_only_sessions')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('user_id', id, (c) => c.notNull())
      .addColumn('secret', bytes, (c) => c.notNull())
      .addColumn('credential_id', id, (c) => c.notNull())
      .addColumn('expires_at', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('read_only_sessions_key', ['organization_id', 'id']),
    db.schema.createIndex('read_only_sessions_by_user_id').on('read_only_sessions').columns(['organization_id', 'user_id', 'id']),
  ],
};
