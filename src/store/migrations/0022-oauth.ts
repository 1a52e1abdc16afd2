import type { Migration } from './migration.ts';

export const oauth: Migration = {
  version: 22,
  name: 'oauth',
  up: (db, { id, text, int, bytes }) => [
    db.schema
      .createTable('oauth2_credentials')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('provider', text, (c) => c.notNull())
      .addColumn('client_id', text, (c) => c.notNull())
      .addColumn('encrypted_client_secret', text, (c) => c.notNull())
      .addColumn('sealed_client_secret', bytes, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('oauth2_credentials_key', ['organization_id', 'id']),
    db.schema.alterTable('organizations').addColumn('oauth2_credential_count', int, (c) => c.notNull().defaultTo(0)),
  ],
};
