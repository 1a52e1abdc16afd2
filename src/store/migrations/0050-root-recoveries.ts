import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const rootRecoveries: Migration = {
  version: 50,
  name: 'root-recoveries',
  up: (db, { text }) => [
    db.schema.alterTable('organizations').addColumn('root_recovery', text, (c) => c.notNull().defaultTo('')),
    // Almost no organization has one.
    db.schema
      .createIndex('organizations_recovering')
      .on('organizations')
      .column('id')
      .where(sql`root_recovery <> ''` as never),
  ],
};
