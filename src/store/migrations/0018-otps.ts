import type { Migration } from './migration.ts';

export const otps: Migration = {
  version: 18,
  name: 'otps',
  up: (db, { id, text, int, bytes }) => [
    db.schema
      .createTable('otps')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('use', text, (c) => c.notNull())
      .addColumn('type', text, (c) => c.notNull())
      .addColumn('contact', text, (c) => c.notNull())
      .addColumn('contact_key', text, (c) => c.notNull())
      .addColumn('user_identifier', bytes)
      .addColumn('user_id', id)
      .addColumn('code', bytes)
      .addColumn('misses', int, (c) => c.notNull())
      .addColumn('target_public_key', bytes)
      .addColumn('target_key', bytes)
      .addColumn('expires_at', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('otps_key', ['organization_id', 'id']),
    db.schema.createIndex('otps_by_contact').on('otps').columns(['organization_id', 'contact_key', 'created_at']),
    db.schema
      .createIndex('otps_by_user_identifier')
      .on('otps')
      .columns(['organization_id', 'user_identifier', 'created_at'])
      .where('user_identifier', 'is not', null),
    db.schema.createIndex('otps_by_created_at').on('otps').columns(['created_at']),
  ],
};
