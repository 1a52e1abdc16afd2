import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Messages of an account are signed in the order of acceptance, whoever brings them. */
export const orderedSends: Migration = {
  version: 32,
  name: 'ordered-sends',
  up: (db, { flag }) => [
    db.schema.alterTable('sends').addColumn('ordered', flag, (c) => c.notNull().defaultTo(0)),
    // Of no other is the order asked any more.
    db
      .updateTable('sends')
      .set({ ordered: sql.lit<boolean>(1 as never) })
      .where('state', '=', sql.lit('queued'))
      .where(sql<boolean>`(intent LIKE '{"form":"batch",%' OR intent LIKE '{"form":"sponsored",%')`)
      .where(sql<boolean>`intent LIKE '%,"nonce":null,"gasStationNonce":null,%'`),
    db.schema
      .createIndex('sends_ordered')
      .on('sends')
      .columns(['caip2', 'from_address', 'id'])
      .where(sql<boolean>`state = 'queued' and ordered = 1`),
  ],
};
