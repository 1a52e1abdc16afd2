import type { Migration } from './migration.ts';

export const authenticators: Migration = {
  version: 12,
  name: 'authenticators',
  up(db, { id, text, bytes, int }) {
    const index = (name: string, columns: string[]) =>
      db.schema.createIndex(`authenticators_${name}`).on('authenticators').columns(columns);
    const table = db.schema
      .createTable('authenticators')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('parent_id', id)
      .addColumn('user_id', id, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('credential_id', bytes, (c) => c.notNull())
      .addColumn('public_key', bytes, (c) => c.notNull())
      .addColumn('rp_id_hash', bytes, (c) => c.notNull())
      .addColumn('origin', text, (c) => c.notNull())
      .addColumn('aaguid', bytes, (c) => c.notNull())
      .addColumn('transports', text, (c) => c.notNull())
      .addColumn('attestation_type', text, (c) => c.notNull())
      .addColumn('model', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('authenticators_key', ['organization_id', 'id'])
      .addUniqueConstraint('authenticators_credential_id', ['organization_id', 'credential_id']);
    return [
      table,
      index('by_user_id_id', ['organization_id', 'user_id', 'id']),
      // A parent's search is in the order of its sub-organizations' ids.
      index('below_by_credential_id', ['parent_id', 'credential_id', 'organization_id']),
    ];
  },
};
