import type { Migration } from './migration.ts';

export const verifiableApps: Migration = {
  version: 46,
  name: 'verifiable-apps',
  up: (db, { id, text, int, bytes, flag }) => [
    db.schema
      .createTable('tvc_operators')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('encrypt_public_key', bytes, (c) => c.notNull())
      .addColumn('sign_public_key', bytes, (c) => c.notNull())
      .addColumn('wallet_id', id)
      .addColumn('path', text)
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('tvc_operators_key', ['organization_id', 'id'])
      .addUniqueConstraint('tvc_operators_keys', ['organization_id', 'sign_public_key', 'encrypt_public_key', 'name']),
    db.schema
      .createTable('tvc_operator_sets')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('threshold', int, (c) => c.notNull())
      .addColumn('operator_ids', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('members', bytes, (c) => c.notNull())
      .addPrimaryKeyConstraint('tvc_operator_sets_key', ['organization_id', 'id'])
      .addUniqueConstraint('tvc_operator_sets_members', ['organization_id', 'members', 'threshold', 'name']),
    db.schema
      .createTable('tvc_apps')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('quorum_public_key', bytes, (c) => c.notNull())
      .addColumn('manifest_set_id', id, (c) => c.notNull())
      .addColumn('share_set_id', id, (c) => c.notNull())
      .addColumn('enable_egress', flag, (c) => c.notNull())
      .addColumn('enable_debug_mode_deployments', flag, (c) => c.notNull())
      .addColumn('live_deployment_id', id)
      .addColumn('deleted', flag, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('tvc_apps_key', ['organization_id', 'id']),
    db.schema
      .createTable('tvc_deployments')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('app_id', id, (c) => c.notNull())
      .addColumn('manifest_id', id, (c) => c.notNull())
      .addColumn('manifest', text, (c) => c.notNull())
      .addColumn('manifest_hash', bytes, (c) => c.notNull())
      .addColumn('nonce', int, (c) => c.notNull())
      .addColumn('qos_version', text, (c) => c.notNull())
      .addColumn('container_url', text, (c) => c.notNull())
      .addColumn('encrypted_pull_secret', text)
      .addColumn('pivot_path', text, (c) => c.notNull())
      .addColumn('pivot_args', text, (c) => c.notNull())
      .addColumn('debug_mode', flag, (c) => c.notNull())
      .addColumn('health_check_type', text, (c) => c.notNull())
      .addColumn('health_check_port', int, (c) => c.notNull())
      .addColumn('public_ingress_port', int, (c) => c.notNull())
      .addColumn('instance_size', text, (c) => c.notNull())
      .addColumn('approved_at', int)
      .addColumn('deleted', flag, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('tvc_deployments_key', ['organization_id', 'id'])
      .addUniqueConstraint('tvc_deployments_manifest', ['organization_id', 'manifest_id'])
      .addUniqueConstraint('tvc_deployments_nonce', ['organization_id', 'app_id', 'nonce']),
    db.schema.createIndex('tvc_deployments_by_app').on('tvc_deployments').columns(['organization_id', 'app_id', 'id']),
    db.schema
      .createTable('tvc_manifest_approvals')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('deployment_id', id, (c) => c.notNull())
      .addColumn('operator_id', id, (c) => c.notNull())
      .addColumn('signature', bytes, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('tvc_manifest_approvals_key', ['organization_id', 'deployment_id', 'operator_id']),
    db.schema.alterTable('organizations').addColumn('tvc_operator_count', int, (c) => c.notNull().defaultTo(0)),
    db.schema.alterTable('organizations').addColumn('tvc_app_count', int, (c) => c.notNull().defaultTo(0)),
    db.schema.alterTable('organizations').addColumn('tvc_deployment_count', int, (c) => c.notNull().defaultTo(0)),
  ],
};
