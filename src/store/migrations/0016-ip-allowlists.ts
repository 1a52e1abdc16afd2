import type { Migration } from './migration.ts';

export const ipAllowlists: Migration = {
  version: 16,
  name: 'ip-allowlists',
  up: (db, { text }) =>
    ['organizations', 'credentials'].map((table) =>
      db.schema.alterTable(table).addColumn('ip_allowlist', text, (c) => c.notNull().defaultTo('')),
    ),
};
