import type { Migration } from './migration.ts';

export const invitations: Migration = {
  version: 17,
  name: 'invitations',
  up: (db, { id, text, int, bytes }) => [
    db.schema
      .createTable('invitations')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('user_id', id, (c) => c.notNull())
      .addColumn('sender_user_id', id, (c) => c.notNull())
      .addColumn('user_name', text, (c) => c.notNull())
      .addColumn('email', text, (c) => c.notNull())
      .addColumn('tags', text, (c) => c.notNull())
      .addColumn('access_type', text, (c) => c.notNull())
      .addColumn('status', text, (c) => c.notNull())
      .addColumn('secret', bytes)
      .addColumn('expires_at', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('invitations_key', ['organization_id', 'id']),
    db.schema.createIndex('invitations_by_user_id').on('invitations').columns(['organization_id', 'user_id']),
    db.schema.alterTable('organizations').addColumn('invitation_count', int, (c) => c.notNull().defaultTo(0)),
    // A worker asks for one topic at a time: messages that nobody sends yet are not read again and again.
    db.schema.createIndex('outbox_by_topic_due_at_id').on('outbox').columns(['state', 'topic', 'due_at', 'id']),
    db.schema.dropIndex('outbox_by_due_at_id'),
  ],
};
