import type { Migration } from './migration.ts';

export const appProofs: Migration = {
  version: 48,
  name: 'app-proofs',
  up: (db, { id, text, int, bytes }) => [
    db.schema
      .createTable('app_proofs')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('activity_id', id, (c) => c.notNull())
      .addColumn('public_key', bytes, (c) => c.notNull())
      .addColumn('proofs', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('app_proofs_key', ['organization_id', 'activity_id']),
    db.schema
      .createTable('boot_proofs')
      .addColumn('public_key', bytes, (c) => c.notNull())
      .addColumn('app_name', text, (c) => c.notNull())
      .addColumn('label', text, (c) => c.notNull())
      .addColumn('manifest', text, (c) => c.notNull())
      .addColumn('attestation', bytes, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('boot_proofs_key', ['public_key']),
    db.schema.createIndex('boot_proofs_by_app').on('boot_proofs').columns(['app_name', 'created_at']),
  ],
};
