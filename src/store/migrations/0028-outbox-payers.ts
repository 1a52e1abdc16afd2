import type { Migration } from './migration.ts';

export const outboxPayers: Migration = {
  version: 28,
  name: 'outbox payers',
  up: (db) => [
    // The waiting messages of one payer, however many others wait.
    db.schema.createIndex('outbox_by_payer_id').on('outbox').columns(['state', 'topic', 'payer_id', 'due_at', 'id']),
    // With all that is asked of an activity's messages: SQLite takes an index on state and topic otherwise, which leads to all that wait.
    db.schema.createIndex('outbox_by_activity_id').on('outbox').columns(['activity_id', 'topic', 'state', 'id']),
    db.schema.dropIndex('outbox_by_id'),
  ],
};
