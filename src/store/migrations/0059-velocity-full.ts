import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** No signature of its own is in the indexes: only sends are reserved. */
export const velocityFull: Migration = {
  version: 59,
  name: 'velocity-full',
  up: (db, { int }) => [
    db.schema.alterTable('velocity_controls').addColumn('full_since', int),
    db.schema
      .createIndex('velocity_entries_reserved')
      .on('velocity_entries')
      .columns(['organization_id', 'control_id', 'bucket', 'activity_id'])
      .where(sql`state = 'reserved'` as never),
    db.schema
      .createIndex('velocity_entries_oldest')
      .on('velocity_entries')
      .columns(['created_at'])
      .where(sql`state = 'reserved'` as never),
  ],
};
