import type { Migration } from './migration.ts';

/** Null where it is not known: deliveries and endpoints of before count from their next attempt. */
export const withoutSuccess: Migration = {
  version: 62,
  name: 'without-success',
  up: (db, { int }) => [
    db.schema.alterTable('webhook_deliveries').addColumn('first_attempt_at', int),
    db.schema.alterTable('webhook_queues').addColumn('no_success_since', int),
  ],
};
