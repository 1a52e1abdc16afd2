import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const users: Migration = {
  version: 14,
  name: 'users',
  up(db, { id, text, int, flag }) {
    const alter = () => db.schema.alterTable('users');
    /** Most users have no verified contact, and no entry. */
    const below = (column: string) =>
      db.schema
        .createIndex(`users_below_by_${column}`)
        .on('users')
        .columns(['parent_id', column, 'organization_id'])
        .where(sql.ref(column), 'is not', null);
    return [
      // Nobody was asked for one before, but for the first version of CREATE_USERS, which did not keep it.
      alter().addColumn('access_type', text, (c) => c.notNull().defaultTo('ACCESS_TYPE_ALL')),
      ...['email_verified', 'phone_verified'].map((name) => alter().addColumn(name, flag, (c) => c.notNull().defaultTo(0))),
      ...['verified_email_key', 'verified_phone'].map((name) => alter().addColumn(name, text)),
      below('verified_email_key'),
      below('verified_phone'),
      db.schema
        .createTable('token_uses')
        .addColumn('organization_id', id, (c) => c.notNull())
        .addColumn('token_id', id, (c) => c.notNull())
        .addColumn('purpose', text, (c) => c.notNull())
        .addColumn('expires_at', int, (c) => c.notNull())
        .addPrimaryKeyConstraint('token_uses_key', ['organization_id', 'token_id', 'purpose']),
      db.schema.createIndex('token_uses_by_expires_at').on('token_uses').columns(['organization_id', 'expires_at']),
    ];
  },
};
