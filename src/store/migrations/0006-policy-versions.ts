import type { Migration } from './migration.ts';

export const policyVersions: Migration = {
  version: 6,
  name: 'policy-versions',
  up(db, { text, int }) {
    return [
      db.schema.alterTable('organizations').addColumn('policies_version', int, (c) => c.notNull().defaultTo(1)),
      db.schema
        .createTable('policy_changes')
        .addColumn('organization_id', text, (c) => c.notNull())
        .addColumn('version', int, (c) => c.notNull())
        .addColumn('policy_id', text, (c) => c.notNull())
        .addPrimaryKeyConstraint('policy_changes_key', ['organization_id', 'version', 'policy_id']),
    ];
  },
};
