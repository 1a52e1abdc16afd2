import type { Migration } from './migration.ts';

/** An account's nonce after an authorization of its own that another account brought, and the block that has it. */
export const knownNonces: Migration = {
  version: 36,
  name: 'known nonces',
  up: (db, { int }) => [
    db.schema.alterTable('send_accounts').addColumn('known_nonce', int),
    db.schema.alterTable('send_accounts').addColumn('known_block', int),
  ],
};
