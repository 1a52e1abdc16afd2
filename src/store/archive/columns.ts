import { type AnyTable, stored } from '../table.ts';
import { activities, votes } from '../tables/activities.ts';
import { archivedActivities, archivedAudit, archivedVotes } from '../tables/archived.ts';
import { audit } from '../tables/audit.ts';

/** What is moved: each table, the archived one with the same columns, and the column with the activity's id. */
export const MOVED = [
  { from: activities, to: archivedActivities, id: 'id' },
  { from: votes, to: archivedVotes, id: 'activity_id' },
  { from: audit, to: archivedAudit, id: 'activity_id' },
] as const;

/** All columns, for INSERT … SELECT. `alias`: of the table that they are selected from. */
export const columnsOf = (table: AnyTable, alias = ''): string =>
  stored(table)
    .map(({ name }) => `${alias && `${alias}.`}"${name}"`)
    .join(', ');
