import type { Migration } from './migration.ts';

export const waitingAccounts: Migration = {
  version: 33,
  name: 'waiting accounts',
  up: (db, { text }) => [db.schema.alterTable('send_accounts').addColumn('waits_for', text, (c) => c.notNull().defaultTo(''))],
};
