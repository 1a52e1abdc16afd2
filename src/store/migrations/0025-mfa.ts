import type { Migration } from './migration.ts';

export const mfa: Migration = {
  version: 25,
  name: 'mfa',
  up: (db, { id, text, int, bytes }) => [
    db.schema
      .createTable('mfa_policies')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('user_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('condition', text, (c) => c.notNull())
      .addColumn('steps', text, (c) => c.notNull())
      .addColumn('order', int, (c) => c.notNull())
      .addColumn('notes', text)
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('mfa_policies_key', ['organization_id', 'user_id', 'id']),
    // Who has none costs no look-up.
    db.schema.alterTable('users').addColumn('mfa_policy_count', int, (c) => c.notNull().defaultTo(0)),
    db.schema
      .createTable('proofs')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('activity_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('approval_id', id, (c) => c.notNull())
      .addColumn('user_id', id, (c) => c.notNull())
      .addColumn('user_version', int, (c) => c.notNull())
      .addColumn('credential_id', id, (c) => c.notNull())
      .addColumn('scheme', text, (c) => c.notNull())
      .addColumn('public_key', bytes, (c) => c.notNull())
      .addColumn('signature', bytes, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('proofs_key', ['organization_id', 'activity_id', 'id'])
      // A stamp counts once.
      .addUniqueConstraint('proofs_stamp', ['organization_id', 'activity_id', 'approval_id', 'public_key']),
  ],
};
