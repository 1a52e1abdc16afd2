import { isTerminal, STATUSES } from '../../model/activity.ts';
import { list } from '../columns.ts';
import { type Conn, written } from '../statement.ts';
import { activities } from '../tables/activities.ts';
import type { Chosen } from './choose.ts';
import { columnsOf, MOVED } from './columns.ts';

const { organizationId, id, updatedAt } = activities.model;
const [organizations, ids] = [list(organizationId), list(id)];
const FINISHED = STATUSES.filter(isTerminal)
  .map((status) => `'${status}'`)
  .join(', ');
const [OF_ACTIVITY, ...OTHERS] = MOVED;

/** Rows that belong to the moved activities. */
const alsoMoved = OTHERS.map(
  ({ from, to, id, of }) => `, "${from.name}_moved" AS (
  DELETE FROM "${from.name}" f USING ${of === undefined ? 'moved' : `"${of.from.name}_moved"`} m WHERE f."organization_id" = m."organization_id" AND f."${id}" = m."id"
  RETURNING ${columnsOf(from, 'f')}
), "${from.name}_kept" AS (
  INSERT INTO "${to.name}" (${columnsOf(from)}) SELECT ${columnsOf(from)} FROM "${from.name}_moved"
)`,
);

/** Moves activities with all rows that belong to them, in one statement. Readers see them either here or there. */
const MOVE = `
WITH chosen AS MATERIALIZED (
  SELECT * FROM unnest($1::${organizations.postgres.type}, $2::${ids.postgres.type}) AS c(organization_id, id)
), moved AS (
  DELETE FROM "activities" a USING chosen c WHERE a."organization_id" = c.organization_id AND a."id" = c.id
  AND a."status" IN (${FINISHED}) AND a."updated_at" < $3
  RETURNING ${columnsOf(OF_ACTIVITY.from, 'a')}
), kept AS (
  INSERT INTO "${OF_ACTIVITY.to.name}" (${columnsOf(OF_ACTIVITY.from)}) SELECT ${columnsOf(OF_ACTIVITY.from)} FROM moved
), known AS (
  INSERT INTO "archived_fingerprints" ("organization_id", "fingerprint", "id")
  SELECT "organization_id", "fingerprint", "id" FROM moved ON CONFLICT DO NOTHING
)${alsoMoved.join('')}
SELECT count(*)::int AS moved FROM moved`;

const move = written<{ moved: number }>('postgres')(MOVE, organizations, ids, updatedAt);

/** Returns the number of moved activities. Activities that did not finish before `cutoff` stay. The tables for their months must exist. */
export async function moveOnPostgres(conn: Conn, batch: readonly Chosen[], cutoff: number): Promise<number> {
  const [row] = await move.all(conn, [batch.map((one) => one.organizationId), batch.map((one) => one.id), cutoff]);
  return row!.moved;
}
