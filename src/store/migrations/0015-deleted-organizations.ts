import type { Migration } from './migration.ts';

export const deletedOrganizations: Migration = {
  version: 15,
  name: 'deleted-organizations',
  up: (db, { id, text, int, flag }) => [
    db.schema
      .createTable('deleted_organizations')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('parent_id', id)
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('version', int, (c) => c.notNull())
      .addColumn('root_quorum', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('deleted_at', int, (c) => c.notNull())
      .addColumn('unswept', flag, (c) => c.notNull())
      .addPrimaryKeyConstraint('deleted_organizations_key', ['organization_id']),
    db.schema.createIndex('deleted_organizations_by_unswept').on('deleted_organizations').columns(['unswept', 'organization_id']),
    // Whether anything is not exported yet.
    db.schema.createIndex('wallets_by_exported').on('wallets').columns(['organization_id', 'exported']),
    db.schema.createIndex('private_keys_by_exported').on('private_keys').columns(['organization_id', 'exported']),
  ],
};
