import type { Migration } from './migration.ts';

/** What transactions of a send that did not end it cost whoever pays. */
export const spentSends: Migration = {
  version: 34,
  name: 'spent sends',
  up: (db, { text }, engine) =>
    // On SQLite the archive is a file of its own.
    (engine === 'postgres' ? ['sends', 'archived_sends'] : ['sends']).map((table) =>
      db.schema.alterTable(table).addColumn('spent', text, (c) => c.notNull().defaultTo('0')),
    ),
};
