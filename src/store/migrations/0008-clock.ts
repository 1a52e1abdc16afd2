import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** The newest activity of each organization: one look-up for each. */
const newest = sql<number>`(SELECT a.updated_at FROM activities a WHERE a.organization_id = o.id ORDER BY a.id DESC LIMIT 1)`;

export const clock: Migration = {
  version: 8,
  name: 'clock',
  up: (db, { int }) => [
    db.schema
      .createTable('clock')
      .addColumn('id', int, (c) => c.primaryKey())
      .addColumn('resets', int, (c) => c.notNull())
      .addColumn('reached', int, (c) => c.notNull())
      .addColumn('stamped', int, (c) => c.notNull()),
    db
      .insertInto('clock')
      .columns(['id', 'resets', 'reached', 'stamped'])
      .expression(
        db
          .selectFrom('organizations as o')
          .select(sql<number>`1`.as('id'))
          .select(sql<number>`0`.as('resets'))
          .select(sql<number>`coalesce(max(${newest}), 0)`.as('reached'))
          .select(sql<number>`0`.as('stamped')),
      ),
  ],
};
