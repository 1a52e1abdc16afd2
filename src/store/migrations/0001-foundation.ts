import type { CreateTableBuilder } from 'kysely';
import type { Migration } from './migration.ts';

export const foundation: Migration = {
  version: 1,
  name: 'foundation',
  up(db, { text, int, flag, bytes }) {
    const table = (name: string) => db.schema.createTable(name);
    const index = (on: string, columns: string[]) =>
      db.schema
        .createIndex(`${on}_by_${columns.slice(1).join('_') || columns[0]}`)
        .on(on)
        .columns(columns);
    const times = <T extends string, C extends string>(t: CreateTableBuilder<T, C>) =>
      t.addColumn('created_at', int, (c) => c.notNull()).addColumn('updated_at', int, (c) => c.notNull());
    return [
      table('instance')
        .addColumn('key', text, (c) => c.primaryKey())
        .addColumn('value', text, (c) => c.notNull()),
      table('master_keys')
        .addColumn('version', int, (c) => c.primaryKey())
        .addColumn('root_id', text, (c) => c.notNull())
        .addColumn('wrapped', bytes, (c) => c.notNull())
        .addColumn('retired', flag, (c) => c.notNull())
        .addColumn('created_at', int, (c) => c.notNull()),
      times(
        table('organizations')
          .addColumn('id', text, (c) => c.primaryKey())
          .addColumn('parent_id', text)
          .addColumn('name', text, (c) => c.notNull())
          .addColumn('version', int, (c) => c.notNull())
          .addColumn('root_quorum', text, (c) => c.notNull())
          .addColumn('features', text, (c) => c.notNull()),
      ),
      index('organizations', ['parent_id', 'id']),
      index('organizations', ['parent_id', 'name', 'id']),
      times(
        table('users')
          .addColumn('organization_id', text, (c) => c.notNull())
          .addColumn('id', text, (c) => c.notNull())
          .addColumn('parent_id', text)
          .addColumn('name', text, (c) => c.notNull())
          .addColumn('email', text)
          .addColumn('email_key', text)
          .addColumn('phone', text)
          .addColumn('version', int, (c) => c.notNull())
          .addPrimaryKeyConstraint('users_key', ['organization_id', 'id']),
      ),
      index('users', ['parent_id', 'name']),
      index('users', ['parent_id', 'email_key']),
      index('users', ['parent_id', 'phone']),
      times(
        table('credentials')
          .addColumn('organization_id', text, (c) => c.notNull())
          .addColumn('id', text, (c) => c.notNull())
          .addColumn('parent_id', text)
          .addColumn('user_id', text, (c) => c.notNull())
          .addColumn('type', text, (c) => c.notNull())
          .addColumn('name', text, (c) => c.notNull())
          .addColumn('public_key', text, (c) => c.notNull())
          .addColumn('expires_at', int)
          .addColumn('expiration_seconds', int)
          .addPrimaryKeyConstraint('credentials_key', ['organization_id', 'id'])
          .addUniqueConstraint('credentials_public_key', ['organization_id', 'public_key']),
      ),
      index('credentials', ['organization_id', 'user_id', 'id']),
      index('credentials', ['parent_id', 'public_key']),
      times(
        table('tags')
          .addColumn('organization_id', text, (c) => c.notNull())
          .addColumn('id', text, (c) => c.notNull())
          .addColumn('kind', text, (c) => c.notNull())
          .addColumn('name', text, (c) => c.notNull())
          .addPrimaryKeyConstraint('tags_key', ['organization_id', 'id'])
          .addUniqueConstraint('tags_name', ['organization_id', 'kind', 'name']),
      ),
      table('tag_members')
        .addColumn('organization_id', text, (c) => c.notNull())
        .addColumn('tag_id', text, (c) => c.notNull())
        .addColumn('member_id', text, (c) => c.notNull())
        .addPrimaryKeyConstraint('tag_members_key', ['organization_id', 'member_id', 'tag_id']),
      index('tag_members', ['organization_id', 'tag_id', 'member_id']),
      times(
        table('wallets')
          .addColumn('organization_id', text, (c) => c.notNull())
          .addColumn('id', text, (c) => c.notNull())
          .addColumn('name', text, (c) => c.notNull())
          .addColumn('exported', flag, (c) => c.notNull())
          .addColumn('imported', flag, (c) => c.notNull())
          .addPrimaryKeyConstraint('wallets_key', ['organization_id', 'id'])
          .addUniqueConstraint('wallets_name', ['organization_id', 'name']),
      ),
      times(
        table('wallet_accounts')
          .addColumn('organization_id', text, (c) => c.notNull())
          .addColumn('id', text, (c) => c.notNull())
          .addColumn('wallet_id', text, (c) => c.notNull())
          .addColumn('curve', text, (c) => c.notNull())
          .addColumn('path', text, (c) => c.notNull())
          .addColumn('address_format', text, (c) => c.notNull())
          .addColumn('address', text, (c) => c.notNull())
          .addColumn('public_key', text, (c) => c.notNull())
          .addColumn('name', text)
          .addPrimaryKeyConstraint('wallet_accounts_key', ['organization_id', 'id'])
          .addUniqueConstraint('wallet_accounts_path', ['organization_id', 'wallet_id', 'path', 'curve', 'address_format'])
          .addUniqueConstraint('wallet_accounts_name', ['organization_id', 'name']),
      ),
      index('wallet_accounts', ['organization_id', 'wallet_id', 'id']),
      times(
        table('private_keys')
          .addColumn('organization_id', text, (c) => c.notNull())
          .addColumn('id', text, (c) => c.notNull())
          .addColumn('name', text, (c) => c.notNull())
          .addColumn('curve', text, (c) => c.notNull())
          .addColumn('public_key', text, (c) => c.notNull())
          .addColumn('exported', flag, (c) => c.notNull())
          .addColumn('imported', flag, (c) => c.notNull())
          .addPrimaryKeyConstraint('private_keys_key', ['organization_id', 'id'])
          .addUniqueConstraint('private_keys_name', ['organization_id', 'name']),
      ),
      table('signers')
        .addColumn('organization_id', text, (c) => c.notNull())
        .addColumn('parent_id', text)
        .addColumn('address', text, (c) => c.notNull())
        .addColumn('format', text, (c) => c.notNull())
        .addColumn('key_id', text, (c) => c.notNull())
        .addColumn('wallet_id', text)
        .addColumn('curve', text, (c) => c.notNull())
        .addPrimaryKeyConstraint('signers_key', ['organization_id', 'address', 'key_id', 'format']),
      index('signers', ['organization_id', 'key_id']),
      index('signers', ['parent_id', 'address']),
      table('secrets')
        .addColumn('organization_id', text, (c) => c.notNull())
        .addColumn('id', text, (c) => c.notNull())
        .addColumn('purpose', text, (c) => c.notNull())
        .addColumn('sealed', bytes, (c) => c.notNull())
        .addPrimaryKeyConstraint('secrets_key', ['organization_id', 'id', 'purpose']),
      times(
        table('activities')
          .addColumn('organization_id', text, (c) => c.notNull())
          .addColumn('id', text, (c) => c.notNull())
          .addColumn('fingerprint', text, (c) => c.notNull())
          .addColumn('type', text, (c) => c.notNull())
          .addColumn('status', text, (c) => c.notNull())
          .addColumn('body', bytes, (c) => c.notNull())
          .addColumn('result', text, (c) => c.notNull())
          .addColumn('failure', text, (c) => c.notNull())
          .addColumn('version', int, (c) => c.notNull())
          .addPrimaryKeyConstraint('activities_key', ['organization_id', 'id'])
          .addUniqueConstraint('activities_fingerprint', ['organization_id', 'fingerprint']),
      ),
      index('activities', ['organization_id', 'status', 'id']),
      index('activities', ['organization_id', 'type', 'id']),
      table('votes')
        .addColumn('organization_id', text, (c) => c.notNull())
        .addColumn('activity_id', text, (c) => c.notNull())
        .addColumn('id', text, (c) => c.notNull())
        .addColumn('user_id', text, (c) => c.notNull())
        .addColumn('credential_id', text, (c) => c.notNull())
        .addColumn('selection', text, (c) => c.notNull())
        .addColumn('scheme', text, (c) => c.notNull())
        .addColumn('public_key', text, (c) => c.notNull())
        .addColumn('signature', text, (c) => c.notNull())
        .addColumn('message', bytes)
        .addColumn('created_at', int, (c) => c.notNull())
        .addPrimaryKeyConstraint('votes_key', ['organization_id', 'activity_id', 'id']),
      table('outbox')
        .addColumn('id', text, (c) => c.primaryKey())
        .addColumn('organization_id', text, (c) => c.notNull())
        .addColumn('activity_id', text, (c) => c.notNull())
        .addColumn('topic', text, (c) => c.notNull())
        .addColumn('payload', text, (c) => c.notNull())
        .addColumn('state', text, (c) => c.notNull())
        .addColumn('attempts', int, (c) => c.notNull())
        .addColumn('due_at', int, (c) => c.notNull())
        .addColumn('created_at', int, (c) => c.notNull()),
      index('outbox', ['state', 'due_at', 'id']),
      index('outbox', ['activity_id', 'id']),
      table('audit')
        .addColumn('organization_id', text, (c) => c.notNull())
        .addColumn('id', text, (c) => c.notNull())
        .addColumn('activity_id', text, (c) => c.notNull())
        .addColumn('event', text, (c) => c.notNull())
        .addColumn('actor_organization_id', text, (c) => c.notNull())
        .addColumn('actor_user_id', text, (c) => c.notNull())
        .addColumn('credential_id', text, (c) => c.notNull())
        .addColumn('created_at', int, (c) => c.notNull())
        .addPrimaryKeyConstraint('audit_key', ['organization_id', 'id']),
    ];
  },
};
