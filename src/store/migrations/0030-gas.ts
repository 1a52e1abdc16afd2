import type { Migration } from './migration.ts';

export const gas: Migration = {
  version: 30,
  name: 'gas',
  up: (db, { id, text, int, flag }) => [
    db.schema
      .createTable('gas_configs')
      .addColumn('organization_id', id, (c) => c.notNull().primaryKey())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('enabled', flag, (c) => c.notNull())
      .addColumn('org_limit_micro_usd', int, (c) => c.notNull())
      .addColumn('sub_org_limit_micro_usd', int, (c) => c.notNull())
      .addColumn('window_minutes', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull()),
    db.schema
      .createTable('gas_usage')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('width', int, (c) => c.notNull())
      .addColumn('starts_at', int, (c) => c.notNull())
      .addColumn('expires_at', int, (c) => c.notNull())
      .addColumn('micro_usd', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('gas_usage_key', ['organization_id', 'width', 'starts_at']),
    db.schema.createIndex('gas_usage_by_expires_at').on('gas_usage').columns(['expires_at']),
    db.schema
      .createTable('gas_reservations')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('send_id', id, (c) => c.notNull())
      .addColumn('payer_id', id, (c) => c.notNull())
      .addColumn('reserved_at', int, (c) => c.notNull())
      .addColumn('micro_usd', int, (c) => c.notNull())
      .addColumn('usd_e18', text, (c) => c.notNull())
      .addColumn('decimals', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('gas_reservations_key', ['organization_id', 'send_id']),
  ],
};
