import type { Migration } from './migration.ts';

export const storedSecrets: Migration = {
  version: 44,
  name: 'secrets',
  up: (db, { id, text, int, bytes }) => [
    db.schema
      .createTable('stored_secrets')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('name', text)
      .addColumn('static_properties', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('stored_secrets_key', ['organization_id', 'id'])
      .addUniqueConstraint('stored_secrets_name', ['organization_id', 'name']),
    db.schema
      .createTable('secret_targets')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('public_key', bytes, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('sealed', bytes, (c) => c.notNull())
      .addColumn('expires_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('secret_targets_key', ['organization_id', 'public_key']),
    db.schema.createIndex('secret_targets_by_expires_at').on('secret_targets').columns(['organization_id', 'expires_at']),
    db.schema.alterTable('organizations').addColumn('secret_count', int, (c) => c.notNull().defaultTo(0)),
  ],
};
