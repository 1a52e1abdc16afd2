import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const scans: Migration = {
  version: 42,
  name: 'scans',
  up: (db, { id, text, int, flag }) => [
    db.schema
      .createTable('scan_places')
      .addColumn('caip2', text, (c) => c.notNull())
      .addColumn('number', int, (c) => c.notNull())
      .addColumn('hash', text, (c) => c.notNull())
      .addColumn('first_number', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('scan_places_key', ['caip2']),
    db.schema
      .createTable('scan_blocks')
      .addColumn('caip2', text, (c) => c.notNull())
      .addColumn('number', int, (c) => c.notNull())
      .addColumn('hash', text, (c) => c.notNull())
      .addPrimaryKeyConstraint('scan_blocks_key', ['caip2', 'number']),
    db.schema
      .createTable('scan_addresses')
      .addColumn('caip2', text, (c) => c.notNull())
      .addColumn('address', text, (c) => c.notNull())
      .addColumn('last_signature', text, (c) => c.notNull())
      .addColumn('last_slot', int, (c) => c.notNull())
      .addColumn('checked_at', int, (c) => c.notNull())
      .addColumn('tokens', text, (c) => c.notNull())
      .addPrimaryKeyConstraint('scan_addresses_key', ['caip2', 'address']),
    db.schema.createIndex('scan_addresses_by_checked_at').on('scan_addresses').columns(['caip2', 'checked_at']),
    db.schema
      .createTable('scanned_transactions')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('caip2', text, (c) => c.notNull())
      .addColumn('address', text, (c) => c.notNull())
      .addColumn('place', id, (c) => c.notNull())
      .addColumn('transaction_hash', text, (c) => c.notNull())
      .addColumn('block_number', int, (c) => c.notNull())
      .addColumn('block_hash', text, (c) => c.notNull())
      .addColumn('block_time', int, (c) => c.notNull())
      .addColumn('sender', text, (c) => c.notNull())
      .addColumn('recipient', text)
      .addColumn('signers', text, (c) => c.notNull())
      .addColumn('fee', text, (c) => c.notNull())
      .addColumn('failed', flag, (c) => c.notNull())
      .addColumn('finalized', flag, (c) => c.notNull())
      .addColumn('transfers', text, (c) => c.notNull())
      .addPrimaryKeyConstraint('scanned_transactions_key', ['organization_id', 'caip2', 'address', 'place']),
    db.schema
      .createIndex('scanned_transactions_not_final')
      .on('scanned_transactions')
      .columns(['caip2', 'block_number'])
      .where(sql`finalized = 0` as never),
    // Addresses in blocks have no checksum, and to compute it for each costs more than the rest of a scan.
    db.schema
      .createIndex('signers_ethereum')
      .on('signers')
      .expression(sql`lower(address)`)
      .where(sql`format = 'ADDRESS_FORMAT_ETHEREUM' and wallet_id is not null` as never),
    db.schema
      .createIndex('signers_solana')
      .on('signers')
      .columns(['address'])
      .where(sql`format = 'ADDRESS_FORMAT_SOLANA' and wallet_id is not null` as never),
    db.schema
      .createIndex('sends_mined')
      .on('sends')
      .columns(['organization_id', 'from_address', 'caip2', 'block_number', 'id'])
      .where(sql`state in ('included', 'final')` as never),
  ],
};
