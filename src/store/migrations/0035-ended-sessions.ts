import type { Migration } from './migration.ts';

/** The keys of sessions that ended, so that no new version of the user is kept for each login. */
export const endedSessions: Migration = {
  version: 35,
  name: 'ended sessions',
  up: (db, { id, text }) => [
    db.schema
      .createTable('ended_sessions')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('content', text, (c) => c.notNull())
      .addPrimaryKeyConstraint('ended_sessions_key', ['organization_id', 'id']),
  ],
};
