import type { Migration } from './migration.ts';

export const rates: Migration = {
  version: 27,
  name: 'rates',
  up: (db, { int, bytes }) => [
    db.schema
      .createTable('rates')
      .addColumn('key', bytes, (c) => c.notNull().primaryKey())
      .addColumn('ends_at', int, (c) => c.notNull())
      .addColumn('spent', int, (c) => c.notNull()),
    db.schema.createIndex('rates_by_ends_at').on('rates').columns(['ends_at']),
  ],
};
