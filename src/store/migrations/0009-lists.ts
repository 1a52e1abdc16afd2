import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** The counts that an organization's row keeps, and how they are made from the rows that are there. */
const COUNTS = {
  user_count: 'COUNT(*) FROM users',
  wallet_count: 'COUNT(*) FROM wallets',
  wallet_account_count: 'COUNT(*) FROM wallet_accounts',
  private_key_count: 'COUNT(*) FROM private_keys',
  tag_count: 'COUNT(*) FROM tags',
  policy_count: 'COUNT(*) FROM policies',
  policy_characters: 'COALESCE(SUM(LENGTH(condition) + LENGTH(consensus) + LENGTH(time)), 0) FROM policies',
  contract_interface_characters: 'COALESCE(SUM(LENGTH(interface)), 0) FROM contract_interfaces',
};

export const lists: Migration = {
  version: 9,
  name: 'lists',
  up(db, { int }) {
    const index = (name: string, on: string, columns: string[]) => db.schema.createIndex(name).on(on).columns(columns);
    /** A parent's search is in the order of its sub-organizations' ids. */
    const below = (table: string, column: string) => [
      index(`${table}_below_by_${column}`, table, ['parent_id', column, 'organization_id']),
      db.schema.dropIndex(`${table}_by_${column}`),
    ];
    const counts = Object.entries(COUNTS).map(([name, counted]) => ({
      name,
      value: sql<number>`(SELECT ${sql.raw(counted)} c WHERE c.organization_id = organizations.id)`,
    }));
    return [
      ...below('users', 'name'),
      ...below('users', 'email_key'),
      ...below('users', 'phone'),
      ...below('credentials', 'public_key'),
      ...below('signers', 'address'),
      ...counts.map(({ name }) => db.schema.alterTable('organizations').addColumn(name, int, (c) => c.notNull().defaultTo(0))),
      db.updateTable('organizations').set(Object.fromEntries(counts.map(({ name, value }) => [name, value]))),
      db.schema.alterTable('wallets').dropColumn('accounts'),
    ];
  },
};
