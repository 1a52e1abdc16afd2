import type { Migration } from './migration.ts';

export const velocityControls: Migration = {
  version: 52,
  name: 'velocity-controls',
  up: (db, { id, text, int }) => [
    db.schema
      .createTable('velocity_controls')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('identifier', text, (c) => c.notNull())
      .addColumn('data_source', text, (c) => c.notNull())
      .addColumn('aggregation', text, (c) => c.notNull())
      .addColumn('countersign', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('velocity_controls_key', ['organization_id', 'id'])
      .addUniqueConstraint('velocity_controls_identifier', ['organization_id', 'identifier']),
    db.schema
      .createTable('velocity_counters')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('control_id', id, (c) => c.notNull())
      .addColumn('bucket', text, (c) => c.notNull())
      .addColumn('steps', text, (c) => c.notNull())
      .addPrimaryKeyConstraint('velocity_counters_key', ['organization_id', 'control_id', 'bucket']),
    db.schema
      .createTable('velocity_entries')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('control_id', id, (c) => c.notNull())
      .addColumn('bucket', text, (c) => c.notNull())
      .addColumn('activity_id', id, (c) => c.notNull())
      .addColumn('amount', text, (c) => c.notNull())
      .addColumn('count', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('velocity_entries_key', ['organization_id', 'control_id', 'bucket', 'activity_id']),
    db.schema.alterTable('organizations').addColumn('velocity_control_count', int, (c) => c.notNull().defaultTo(0)),
    db.schema.alterTable('organizations').addColumn('velocity_version', int, (c) => c.notNull().defaultTo(0)),
  ],
};
