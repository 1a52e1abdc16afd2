import type { Migration } from './migration.ts';

export const velocityRemovals: Migration = {
  version: 57,
  name: 'velocity-removals',
  up: (db, { int }) => [db.schema.alterTable('velocity_controls').addColumn('removes_at', int)],
};
