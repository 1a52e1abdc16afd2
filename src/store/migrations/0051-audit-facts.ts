import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const auditFacts: Migration = {
  version: 51,
  name: 'audit-facts',
  // The worker begins at the first activity, because the instance has no place yet.
  up: (db, { id, text, int }, engine) => {
    const subjects = db.schema
      .createTable('audit_subjects')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('subject_id', id, (c) => c.notNull())
      .addColumn('status', text, (c) => c.notNull())
      .addColumn('type', text, (c) => c.notNull())
      .addColumn('activity_id', id, (c) => c.notNull())
      .addPrimaryKeyConstraint('audit_subjects_key', ['organization_id', 'kind', 'subject_id', 'status', 'type', 'activity_id']);
    return [
      db.schema
        .createTable('audit_facts')
        .addColumn('organization_id', id, (c) => c.notNull())
        .addColumn('activity_id', id, (c) => c.notNull())
        .addColumn('type', text, (c) => c.notNull())
        .addColumn('status', text, (c) => c.notNull())
        .addColumn('user_id', id, (c) => c.notNull())
        .addColumn('credential_id', id, (c) => c.notNull())
        .addColumn('wallet_ids', text, (c) => c.notNull())
        .addColumn('created_at', int, (c) => c.notNull())
        .addColumn('updated_at', int, (c) => c.notNull())
        .addPrimaryKeyConstraint('audit_facts_key', ['organization_id', 'activity_id']),
      engine === 'sqlite' ? subjects.modifyEnd(sql`without rowid`) : subjects,
    ];
  },
};
