import type { Migration } from './migration.ts';

/** One configuration for each top-level organization. It stays while the proxy is off: applications have its id built in. */
export const authProxy: Migration = {
  version: 26,
  name: 'auth-proxy',
  up: (db, { id, text, int, bytes }) => [
    db.schema
      .createTable('auth_proxy_configs')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('key_id', id)
      .addColumn('public_key', bytes)
      .addColumn('sealed_key', bytes)
      .addColumn('settings', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('auth_proxy_configs_key', ['organization_id']),
    db.schema.createIndex('auth_proxy_configs_by_id').unique().on('auth_proxy_configs').column('id'),
    db.schema
      .createIndex('oauth2_credentials_by_client')
      .on('oauth2_credentials')
      .columns(['organization_id', 'provider', 'client_id', 'id']),
    db.schema.alterTable('organizations').addColumn('proxy_user_id', id),
  ],
};
