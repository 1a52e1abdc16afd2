import type { Migration } from './migration.ts';

export const sessionProfiles: Migration = {
  version: 21,
  name: 'session-profiles',
  up: (db, { id, text, int }) => [
    db.schema
      .createTable('session_profiles')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('scope', text, (c) => c.notNull())
      .addColumn('expiration_seconds', int)
      .addColumn('notes', text)
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('session_profiles_key', ['organization_id', 'id']),
    db.schema.alterTable('organizations').addColumn('session_profile_count', int, (c) => c.notNull().defaultTo(0)),
    db.schema.alterTable('credentials').addColumn('session_profile_id', id),
  ],
};
