import type { Migration } from './migration.ts';

export const authority: Migration = {
  version: 2,
  name: 'authority',
  up(db, { text, int }) {
    const table = (name: string) => db.schema.createTable(name).addColumn('organization_id', text, (c) => c.notNull());
    return [
      table('policies')
        .addColumn('id', text, (c) => c.notNull())
        .addColumn('name', text, (c) => c.notNull())
        .addColumn('effect', text, (c) => c.notNull())
        .addColumn('condition', text, (c) => c.notNull())
        .addColumn('consensus', text, (c) => c.notNull())
        .addColumn('time', text, (c) => c.notNull())
        .addColumn('notes', text, (c) => c.notNull())
        .addColumn('created_at', int, (c) => c.notNull())
        .addColumn('updated_at', int, (c) => c.notNull())
        .addPrimaryKeyConstraint('policies_key', ['organization_id', 'id'])
        .addUniqueConstraint('policies_name', ['organization_id', 'name']),
      table('contract_interfaces')
        .addColumn('id', text, (c) => c.notNull())
        .addColumn('address', text, (c) => c.notNull())
        .addColumn('type', text, (c) => c.notNull())
        .addColumn('label', text, (c) => c.notNull())
        .addColumn('notes', text, (c) => c.notNull())
        .addColumn('interface', text, (c) => c.notNull())
        .addColumn('created_at', int, (c) => c.notNull())
        .addColumn('updated_at', int, (c) => c.notNull())
        .addPrimaryKeyConstraint('contract_interfaces_key', ['organization_id', 'id'])
        .addUniqueConstraint('contract_interfaces_label', ['organization_id', 'label']),
      table('evaluations')
        .addColumn('activity_id', text, (c) => c.notNull())
        .addColumn('vote_id', text, (c) => c.notNull())
        .addColumn('id', text, (c) => c.notNull())
        .addColumn('evaluations', text, (c) => c.notNull())
        .addColumn('created_at', int, (c) => c.notNull())
        .addPrimaryKeyConstraint('evaluations_key', ['organization_id', 'activity_id', 'vote_id']),
    ];
  },
};
