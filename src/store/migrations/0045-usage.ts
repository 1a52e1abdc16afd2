import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const usage: Migration = {
  version: 45,
  name: 'usage',
  up: (db, { id, text, int }) => [
    db.schema
      .createTable('usage_counts')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('width', text, (c) => c.notNull())
      .addColumn('starts_at', int, (c) => c.notNull())
      .addColumn('signatures', int, (c) => c.notNull())
      .addColumn('sends', int, (c) => c.notNull())
      .addColumn('messages', int, (c) => c.notNull())
      .addColumn('completed', int, (c) => c.notNull())
      .addColumn('failed', int, (c) => c.notNull())
      .addColumn('rejected', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('usage_counts_key', ['organization_id', 'width', 'starts_at']),
    db.schema.createIndex('usage_counts_by_start').on('usage_counts').column('starts_at'),
    // Activities from before are not counted: some may be archived, so the sums would be wrong.
    db.insertInto('instance').values({
      key: sql.lit('usage_place'),
      value: sql<string>`'{"activities":' || coalesce((SELECT max(position) FROM activities), 0) || ',"audit":' ||
        coalesce((SELECT max(position) FROM audit), 0) || '}'`,
    }),
    db.schema
      .createTable('quotas')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('signatures', int, (c) => c.notNull())
      .addColumn('used', int, (c) => c.notNull())
      .addColumn('level', text, (c) => c.notNull())
      .addColumn('ends_at', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('quotas_key', ['organization_id']),
    db.schema.createIndex('quotas_by_level').on('quotas').columns(['level', 'ends_at']),
    db.schema.alterTable('organizations').addColumn('over_quota_until', int, (c) => c.notNull().defaultTo(0)),
    db.schema
      .createTable('billing_accounts')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('payment_method_id', text, (c) => c.notNull())
      .addColumn('last_four', text, (c) => c.notNull())
      .addColumn('card_holder_name', text, (c) => c.notNull())
      .addColumn('card_holder_email', text, (c) => c.notNull())
      .addColumn('payment_email', text, (c) => c.notNull())
      .addColumn('product_id', text, (c) => c.notNull())
      .addColumn('plan_id', text, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('billing_accounts_key', ['organization_id']),
  ],
};
