import type { Migration } from './migration.ts';

export const mail: Migration = {
  version: 19,
  name: 'mail',
  up: (db, { id, text, int }) => [
    db.schema.alterTable('outbox').addColumn('expires_at', int),
    db.schema.alterTable('outbox').addColumn('payer_id', id),
    db.updateTable('outbox').set((e) => ({
      payer_id: e.fn.coalesce(
        e.selectFrom('organizations').select('parent_id').whereRef('organizations.id', '=', 'outbox.organization_id'),
        e.ref('organization_id'),
      ),
    })),
    db.schema.alterTable('outbox').addColumn('last_error', text, (c) => c.notNull().defaultTo('')),
    db.schema.createIndex('outbox_by_expires_at_id').on('outbox').columns(['expires_at', 'id']),
    db.schema.createIndex('outbox_by_state_id').on('outbox').columns(['state', 'id']),
    // With the payer, so that one whose share is taken is passed over in the index alone.
    db.schema.createIndex('outbox_by_due_at').on('outbox').columns(['state', 'topic', 'due_at', 'id', 'payer_id']),
    db.schema.dropIndex('outbox_by_topic_due_at_id'),
    db.schema
      .createTable('mail_templates')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('html', text, (c) => c.notNull())
      .addColumn('uses', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('mail_templates_key', ['organization_id', 'id']),
    db.schema
      .createTable('email_events')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('message_id', text, (c) => c.notNull())
      .addColumn('event_type', text, (c) => c.notNull())
      .addColumn('from_address', text, (c) => c.notNull())
      .addColumn('to_address', text, (c) => c.notNull())
      .addColumn('to_key', text, (c) => c.notNull())
      .addColumn('details', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('email_events_key', ['organization_id', 'id']),
    db.schema.createIndex('email_events_by_to_key_id').on('email_events').columns(['organization_id', 'to_key', 'id']),
    db.schema
      .createIndex('email_events_by_event_type_id')
      .on('email_events')
      .columns(['organization_id', 'to_key', 'event_type', 'id']),
    db.schema.createIndex('email_events_by_created_at').on('email_events').columns(['created_at']),
  ],
};
