import type { Migration } from './migration.ts';

export const masterKeyStates: Migration = {
  version: 49,
  name: 'master-key-states',
  up: (db, { text }) => [
    db.schema.alterTable('master_keys').addColumn('state', text, (c) => c.notNull().defaultTo('live')),
    db.schema.alterTable('master_keys').addColumn('objection', text, (c) => c.notNull().defaultTo('')),
  ],
};
