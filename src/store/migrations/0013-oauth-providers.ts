import type { Migration } from './migration.ts';

export const oauthProviders: Migration = {
  version: 13,
  name: 'oauth-providers',
  up(db, { id, text, bytes, int }) {
    const index = (name: string, columns: string[]) =>
      db.schema.createIndex(`oauth_providers_${name}`).on('oauth_providers').columns(columns);
    const table = db.schema
      .createTable('oauth_providers')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('parent_id', id)
      .addColumn('user_id', id, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('issuer', text, (c) => c.notNull())
      .addColumn('audience', text, (c) => c.notNull())
      .addColumn('subject', text, (c) => c.notNull())
      .addColumn('identity', bytes, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('oauth_providers_key', ['organization_id', 'id'])
      .addUniqueConstraint('oauth_providers_identity', ['organization_id', 'identity']);
    return [
      table,
      index('by_user_id_id', ['organization_id', 'user_id', 'id']),
      // A parent's search is in the order of its sub-organizations' ids.
      index('below_by_identity', ['parent_id', 'identity', 'organization_id']),
    ];
  },
};
