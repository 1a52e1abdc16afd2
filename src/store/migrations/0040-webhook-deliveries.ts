import type { Migration } from './migration.ts';

export const webhookDeliveries: Migration = {
  version: 40,
  name: 'webhook deliveries',
  up: (db, { id, text, int, bytes }, engine) => [
    db.schema
      .createTable('webhook_events')
      // A position is never given again, because deliveries outlive their events.
      .addColumn('position', engine === 'sqlite' ? 'integer' : 'bigserial', (c) =>
        engine === 'sqlite' ? c.primaryKey().autoIncrement() : c.primaryKey(),
      )
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('parent_id', id)
      .addColumn('event_type', text, (c) => c.notNull())
      .addColumn('subject', text, (c) => c.notNull())
      .addColumn('filters', text, (c) => c.notNull())
      .addColumn('body', bytes, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('fanned_out_at', int),
    db.schema
      .createIndex('webhook_events_not_fanned_out')
      .on('webhook_events')
      .columns(['fanned_out_at', 'position'])
      .where('fanned_out_at' as never, 'is', null),
    db.schema.createIndex('webhook_events_by_created_at').on('webhook_events').column('created_at'),

    db.schema
      .createTable('webhook_deliveries')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('endpoint_id', id, (c) => c.notNull())
      .addColumn('event_id', id, (c) => c.notNull())
      .addColumn('position', int, (c) => c.notNull())
      .addColumn('event_type', text, (c) => c.notNull())
      .addColumn('subject', text, (c) => c.notNull())
      .addColumn('status', text, (c) => c.notNull())
      .addColumn('attempts', int, (c) => c.notNull())
      .addColumn('next_at', int)
      .addColumn('last_attempt_at', int)
      .addColumn('last_duration_ms', int)
      .addColumn('last_status_code', int)
      .addColumn('last_answer', text, (c) => c.notNull())
      .addColumn('last_error', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('ended_at', int)
      .addPrimaryKeyConstraint('webhook_deliveries_key', ['organization_id', 'id']),
    db.schema
      .createIndex('webhook_deliveries_by_endpoint_id')
      .on('webhook_deliveries')
      .columns(['organization_id', 'endpoint_id', 'id']),
    db.schema
      .createIndex('webhook_deliveries_by_endpoint_id_status')
      .on('webhook_deliveries')
      .columns(['organization_id', 'endpoint_id', 'status', 'id']),
    db.schema.createIndex('webhook_deliveries_by_status').on('webhook_deliveries').columns(['organization_id', 'status', 'id']),
    db.schema
      .createIndex('webhook_deliveries_by_next_at')
      .on('webhook_deliveries')
      .columns(['organization_id', 'endpoint_id', 'next_at'])
      .where('next_at' as never, 'is not', null),
    db.schema
      .createIndex('webhook_deliveries_by_subject')
      .on('webhook_deliveries')
      .columns(['organization_id', 'endpoint_id', 'subject', 'position'])
      .where('ended_at' as never, 'is', null),
    db.schema
      .createIndex('webhook_deliveries_by_ended_at')
      .on('webhook_deliveries')
      .column('ended_at')
      .where('ended_at' as never, 'is not', null),

    db.schema
      .createTable('webhook_queues')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('endpoint_id', id, (c) => c.notNull())
      .addColumn('pending', int, (c) => c.notNull())
      .addColumn('next_at', int, (c) => c.notNull())
      .addColumn('failures', int, (c) => c.notNull())
      .addColumn('failing_since', int)
      .addColumn('paused_at', int)
      .addColumn('mailed_at', int)
      .addColumn('owner', text, (c) => c.notNull())
      .addColumn('lease_until', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('webhook_queues_key', ['organization_id', 'endpoint_id']),
    db.schema.createIndex('webhook_queues_by_next_at').on('webhook_queues').column('next_at'),
    db.schema.createIndex('webhook_queues_by_owner').on('webhook_queues').column('owner'),

    db.schema
      .createTable('webhook_keys')
      .addColumn('kid', text, (c) => c.notNull())
      .addColumn('public_key', bytes, (c) => c.notNull())
      .addColumn('sealed', bytes, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('replaced_at', int)
      .addPrimaryKeyConstraint('webhook_keys_key', ['kid']),
    db.schema.createIndex('webhook_keys_by_replaced_at').on('webhook_keys').column('replaced_at'),

    db.schema
      .createTable('leases')
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('owner', text, (c) => c.notNull())
      .addColumn('lease_until', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('leases_key', ['name']),

    db.schema.alterTable('organizations').addColumn('listeners', int, (c) => c.notNull().defaultTo(0)),
  ],
};
