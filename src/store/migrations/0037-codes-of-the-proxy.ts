import type { Migration } from './migration.ts';

/** Which codes were asked for at the auth proxy. Older ones may have been, and live ten minutes at most. */
export const codesOfTheProxy: Migration = {
  version: 37,
  name: 'codes of the proxy',
  up: (db, { flag }) => [db.schema.alterTable('otps').addColumn('by_proxy', flag, (c) => c.notNull().defaultTo(1))],
};
