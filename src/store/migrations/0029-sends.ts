import type { Migration } from './migration.ts';

export const sends: Migration = {
  version: 29,
  name: 'sends',
  up: (db, { id, text, int, flag, bytes }) => [
    db.schema
      .createTable('sends')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('activity_id', id, (c) => c.notNull())
      .addColumn('payer_id', id, (c) => c.notNull())
      .addColumn('caip2', text, (c) => c.notNull())
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('account', text, (c) => c.notNull())
      .addColumn('from_address', text, (c) => c.notNull())
      .addColumn('sponsored', flag, (c) => c.notNull())
      .addColumn('intent', text, (c) => c.notNull())
      .addColumn('state', text, (c) => c.notNull())
      .addColumn('nonce', int)
      .addColumn('message_nonce', int)
      .addColumn('hash', text, (c) => c.notNull())
      .addColumn('block_number', int)
      .addColumn('block_hash', text, (c) => c.notNull())
      .addColumn('error', text, (c) => c.notNull())
      .addColumn('wish', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addColumn('due_at', int, (c) => c.notNull())
      .addColumn('version', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('sends_key', ['organization_id', 'id']),
    // Lists. The state is in one index alone: it changes several times.
    db.schema.createIndex('sends_by_state').on('sends').columns(['organization_id', 'state', 'id']),
    db.schema.createIndex('sends_by_from_address').on('sends').columns(['organization_id', 'from_address', 'id']),
    db.schema.createIndex('sends_by_network').on('sends').columns(['organization_id', 'caip2', 'id']),
    db.schema.createIndex('sends_by_both').on('sends').columns(['organization_id', 'from_address', 'caip2', 'id']),
    // The work of one account.
    db.schema.createIndex('sends_by_nonce').on('sends').columns(['caip2', 'account', 'state', 'nonce']),
    db.schema.createIndex('sends_by_due_at').on('sends').columns(['caip2', 'account', 'state', 'due_at', 'id']),
    db.schema
      .createTable('send_attempts')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('send_id', id, (c) => c.notNull())
      .addColumn('number', int, (c) => c.notNull())
      .addColumn('purpose', text, (c) => c.notNull())
      .addColumn('nonce', int)
      .addColumn('signed', bytes, (c) => c.notNull())
      .addColumn('hash', text, (c) => c.notNull())
      .addColumn('fees', text, (c) => c.notNull())
      .addColumn('may_be_sent', flag, (c) => c.notNull())
      .addColumn('said', text, (c) => c.notNull())
      .addColumn('last_valid_block_height', int)
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('send_attempts_key', ['organization_id', 'send_id', 'number']),
    db.schema.createIndex('send_attempts_by_hash').on('send_attempts').columns(['organization_id', 'hash']),
    db.schema
      .createTable('send_accounts')
      .addColumn('caip2', text, (c) => c.notNull())
      .addColumn('account', text, (c) => c.notNull())
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('next_nonce', int)
      .addColumn('messages_taken', int, (c) => c.notNull())
      .addColumn('message_lane', text, (c) => c.notNull())
      .addColumn('messages', int, (c) => c.notNull())
      .addColumn('owner', text, (c) => c.notNull())
      .addColumn('lease_until', int, (c) => c.notNull())
      .addColumn('due_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('send_accounts_key', ['caip2', 'account']),
    db.schema.createIndex('send_accounts_by_due_at').on('send_accounts').columns(['kind', 'due_at']),
    db.schema.createIndex('send_accounts_by_owner').on('send_accounts').columns(['owner', 'caip2', 'account']),
  ],
};
