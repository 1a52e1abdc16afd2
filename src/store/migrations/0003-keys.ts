import type { Migration } from './migration.ts';

export const keys: Migration = {
  version: 3,
  name: 'keys',
  up(db, { text, int, flag, bytes }) {
    const added = (table: string, column: string) =>
      db.schema.alterTable(table).addColumn(column, flag, (c) => c.notNull().defaultTo(0));
    return [
      added('wallet_accounts', 'exported'),
      added('signers', 'disabled'),
      db.schema.alterTable('signers').addColumn('position', int, (c) => c.notNull().defaultTo(0)),
      db.schema
        .createIndex('contract_interfaces_by_address')
        .on('contract_interfaces')
        .columns(['organization_id', 'address', 'type']),
      db.schema
        .createIndex('wallet_accounts_by_address')
        .on('wallet_accounts')
        .columns(['organization_id', 'wallet_id', 'address']),
      db.schema
        .createTable('import_targets')
        .addColumn('organization_id', text, (c) => c.notNull())
        .addColumn('user_id', text, (c) => c.notNull())
        .addColumn('kind', text, (c) => c.notNull())
        .addColumn('id', text, (c) => c.notNull())
        .addColumn('public_key', text, (c) => c.notNull())
        .addColumn('sealed', bytes, (c) => c.notNull())
        .addColumn('created_at', int, (c) => c.notNull())
        .addPrimaryKeyConstraint('import_targets_key', ['organization_id', 'user_id', 'kind']),
      db.schema
        .createTable('service_keys')
        .addColumn('name', text, (c) => c.primaryKey())
        .addColumn('public_key', text, (c) => c.notNull())
        .addColumn('sealed', bytes, (c) => c.notNull())
        .addColumn('created_at', int, (c) => c.notNull()),
    ];
  },
};
