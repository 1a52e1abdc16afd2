import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const accountCounts: Migration = {
  version: 5,
  name: 'account-counts',
  up(db, { int }) {
    const counted = sql<number>`(SELECT COUNT(*) FROM wallet_accounts a WHERE a.organization_id = wallets.organization_id AND a.wallet_id = wallets.id)`;
    return [
      db.schema.alterTable('wallets').addColumn('accounts', int, (c) => c.notNull().defaultTo(0)),
      // A later migration removes the column.
      db.updateTable('wallets').set({ accounts: counted } as never),
    ];
  },
};
