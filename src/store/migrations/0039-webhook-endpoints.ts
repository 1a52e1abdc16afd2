import type { Migration } from './migration.ts';

export const webhookEndpoints: Migration = {
  version: 39,
  name: 'webhook endpoints',
  up: (db, { id, text, int, flag }) => [
    db.schema
      .createTable('webhook_endpoints')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('url', text, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('is_active', flag, (c) => c.notNull())
      .addColumn('subscriptions', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('webhook_endpoints_key', ['organization_id', 'id']),
    db.schema.alterTable('organizations').addColumn('webhook_endpoint_count', int, (c) => c.notNull().defaultTo(0)),
  ],
};
