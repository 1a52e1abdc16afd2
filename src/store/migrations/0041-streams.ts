import type { Migration } from './migration.ts';

export const streams: Migration = {
  version: 41,
  name: 'streams',
  up: (db, { id, int, flag }) => [
    db.schema
      .createTable('stream_interests')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('sequence', int, (c) => c.notNull())
      .addColumn('since', int, (c) => c.notNull())
      .addColumn('until', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('stream_interests_key', ['organization_id']),
    db.schema
      .createIndex('stream_interests_by_until')
      .on('stream_interests')
      .column('until')
      .where('until' as never, '>', 0),

    db.schema
      .createTable('stream_events')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('sequence', int, (c) => c.notNull())
      .addColumn('position', int, (c) => c.notNull())
      .addColumn('source_id', id, (c) => c.notNull())
      .addColumn('is_delivered', flag, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('stream_events_key', ['organization_id', 'sequence']),
    db.schema.createIndex('stream_events_by_created_at').on('stream_events').column('created_at'),
  ],
};
