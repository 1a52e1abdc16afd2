import { type AnyTable, stored } from '../table.ts';
import { activities, votes } from '../tables/activities.ts';
import { archivedActivities, archivedAudit, archivedSendAttempts, archivedSends, archivedVotes } from '../tables/archived.ts';
import { audit } from '../tables/audit.ts';
import { sendAttempts, sends } from '../tables/sends.ts';

type Moved = {
  from: AnyTable;
  to: AnyTable;
  /** The column with the activity's id. With `of`: the column with the id of a row in that table. */
  id: string;
  of?: Moved;
};

const ofSends: Moved = { from: sends, to: archivedSends, id: 'activity_id' };

/** The tables that are archived. Each has an archive table with the same columns, and a column by which its rows are found. */
export const MOVED: readonly [Moved, ...Moved[]] = [
  { from: activities, to: archivedActivities, id: 'id' },
  { from: votes, to: archivedVotes, id: 'activity_id' },
  { from: audit, to: archivedAudit, id: 'activity_id' },
  ofSends,
  { from: sendAttempts, to: archivedSendAttempts, id: 'send_id', of: ofSends },
];

/** All columns, for INSERT … SELECT. `alias`: the alias of the table to select from. */
export const columnsOf = (table: AnyTable, alias = ''): string =>
  stored(table)
    .map(({ name }) => `${alias && `${alias}.`}"${name}"`)
    .join(', ');
