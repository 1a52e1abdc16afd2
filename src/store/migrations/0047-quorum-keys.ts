import type { Migration } from './migration.ts';

export const quorumKeys: Migration = {
  version: 47,
  name: 'quorum-keys',
  up: (db, { id, text, int, bytes, flag }) => [
    db.schema
      .createTable('tvc_quorum_keys')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('public_key', bytes, (c) => c.notNull())
      .addColumn('threshold', int, (c) => c.notNull())
      .addColumn('operator_ids', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('tvc_quorum_keys_key', ['organization_id', 'id'])
      .addUniqueConstraint('tvc_quorum_keys_public_key', ['organization_id', 'public_key']),
    db.schema
      .createTable('tvc_quorum_shares')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('quorum_key_id', id, (c) => c.notNull())
      .addColumn('encrypt_public_key', bytes, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('sealed', bytes, (c) => c.notNull())
      .addPrimaryKeyConstraint('tvc_quorum_shares_key', ['organization_id', 'quorum_key_id', 'encrypt_public_key']),
    db.schema
      .createTable('tvc_provisionings')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('deployment_id', id, (c) => c.notNull())
      .addColumn('app_id', id, (c) => c.notNull())
      .addColumn('runner', text, (c) => c.notNull())
      .addColumn('lease_until', int, (c) => c.notNull())
      .addColumn('ephemeral_key', bytes)
      .addColumn('attestation', bytes)
      .addColumn('state', text, (c) => c.notNull())
      .addColumn('is_ready', flag, (c) => c.notNull())
      .addColumn('problem', text, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('tvc_provisionings_key', ['organization_id', 'deployment_id']),
    db.schema.createIndex('tvc_provisionings_by_app').on('tvc_provisionings').columns(['organization_id', 'app_id']),
    db.schema.createIndex('tvc_provisionings_by_lease').on('tvc_provisionings').columns(['lease_until']),
    db.schema
      .createTable('tvc_provisioning_shares')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('deployment_id', id, (c) => c.notNull())
      .addColumn('operator_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('sealed', bytes, (c) => c.notNull())
      .addColumn('signature', bytes, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('tvc_provisioning_shares_key', ['organization_id', 'deployment_id', 'operator_id']),
    db.schema
      .createTable('tvc_debug_logs')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('deployment_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('lines', text, (c) => c.notNull())
      .addColumn('size', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('tvc_debug_logs_key', ['organization_id', 'deployment_id', 'id']),
    db.schema.createIndex('tvc_debug_logs_by_created_at').on('tvc_debug_logs').columns(['created_at']),
    db.schema
      .createIndex('tvc_operators_by_encrypt_public_key')
      .on('tvc_operators')
      .columns(['organization_id', 'encrypt_public_key']),
    db.schema.alterTable('organizations').addColumn('tvc_quorum_key_count', int, (c) => c.notNull().defaultTo(0)),
  ],
};
