import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Entries from before count until their window has passed. */
export const velocitySettling: Migration = {
  version: 54,
  name: 'velocity-settling',
  up: (db, { text, int }) => [
    db.schema.alterTable('velocity_entries').addColumn('state', text, (c) => c.notNull().defaultTo('spent')),
    db.schema.alterTable('velocity_entries').addColumn('step', int, (c) => c.notNull().defaultTo(0)),
    db.schema.alterTable('velocity_entries').addColumn('reference', text, (c) => c.notNull().defaultTo('')),
    db.schema.alterTable('velocity_entries').addColumn('fee', text, (c) => c.notNull().defaultTo('0')),
    db.schema
      .createIndex('velocity_entries_open')
      .on('velocity_entries')
      .columns(['organization_id', 'activity_id', 'control_id', 'bucket'])
      .where(sql`state in ('reserved', 'mined')` as never),
    db.schema
      .createIndex('velocity_entries_reference')
      .on('velocity_entries')
      .columns(['organization_id', 'control_id', 'reference'])
      .where(sql`reference <> ''` as never),
  ],
};
