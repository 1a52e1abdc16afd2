import type { Migration } from './migration.ts';

export const onRamps: Migration = {
  version: 43,
  name: 'on-ramps',
  up: (db, { id, text, int, bytes, flag }) => [
    db.schema
      .createTable('fiat_on_ramp_credentials')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('provider', text, (c) => c.notNull())
      .addColumn('sandbox_mode', flag, (c) => c.notNull())
      .addColumn('project_id', text)
      .addColumn('publishable_api_key', text, (c) => c.notNull())
      .addColumn('encrypted_secret_api_key', text, (c) => c.notNull())
      .addColumn('encrypted_private_api_key', text)
      .addColumn('sealed_secret_api_key', bytes, (c) => c.notNull())
      .addColumn('sealed_private_api_key', bytes)
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('fiat_on_ramp_credentials_key', ['organization_id', 'id']),
    db.schema
      .createIndex('fiat_on_ramp_credentials_by_provider')
      .on('fiat_on_ramp_credentials')
      .columns(['organization_id', 'provider', 'sandbox_mode', 'id']),
    db.schema
      .createTable('on_ramp_transactions')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('provider', text, (c) => c.notNull())
      .addColumn('sandbox_mode', flag, (c) => c.notNull())
      .addColumn('credential_id', id, (c) => c.notNull())
      .addColumn('status', text, (c) => c.notNull())
      .addColumn('asked_at', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('on_ramp_transactions_key', ['organization_id', 'id']),
    db.schema.alterTable('organizations').addColumn('fiat_on_ramp_credential_count', int, (c) => c.notNull().defaultTo(0)),
  ],
};
