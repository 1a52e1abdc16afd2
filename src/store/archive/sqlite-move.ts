import { type Conn, written } from '../statement.ts';
import { activities } from '../tables/activities.ts';
import type { Chosen } from './choose.ts';
import { columnsOf, MOVED } from './columns.ts';
import { raiseArchivedUntil } from './until.ts';

const { organizationId, id: activityId } = activities.model;
const about = <R>(sql: string) => written<R>('sqlite')(sql, organizationId, activityId);
const twice = <R>(sql: string) => written<R>('sqlite')(sql, organizationId, activityId, organizationId, activityId);

/** Rows that refer to other moved rows come before them. */
const TABLES = MOVED.toReversed().map(({ from, to, id, of }) => {
  const where = (table: string) =>
    of === undefined
      ? `WHERE "organization_id" = ? AND "${id}" = ?`
      : `WHERE ("organization_id", "${id}") IN (
        SELECT "organization_id", "id" FROM "${(table === from.name ? of.from : of.to).name}" WHERE "organization_id" = ? AND "${of.id}" = ?)`;
  const rows = (table: string) => `SELECT ${columnsOf(from)} FROM "${table}" ${where(table)}`;
  return {
    name: from.name,
    /** Removes rows that an earlier run left in the archive, because it was interrupted or a backup was restored. */
    clear: about(`DELETE FROM "${to.name}" ${where(to.name)}`),
    copy: about(`INSERT INTO "${to.name}" (${columnsOf(from)}) ${rows(from.name)}`),
    uncopied: twice<object>(`${rows(from.name)} EXCEPT ${rows(to.name)}`),
    remove: about(`DELETE FROM "${from.name}" ${where(from.name)}`),
  };
});

const remember = about(
  `INSERT INTO "archived_fingerprints" ("organization_id", "fingerprint", "id")
SELECT "organization_id", "fingerprint", "id" FROM "activities" WHERE "organization_id" = ? AND "id" = ? ON CONFLICT DO NOTHING`,
);

/** Copies activities with all rows that belong to them. The caller commits the copy before it removes the originals. */
export async function copyOnSqlite(conn: Conn, batch: readonly Chosen[]): Promise<void> {
  for (const { organizationId, id } of batch)
    for (const { clear, copy } of TABLES) {
      await clear.run(conn, [organizationId, id]);
      await copy.run(conn, [organizationId, id]);
    }
}

/** Removes activities whose rows are all in the archive. Throws an error if a row is missing there; then the caller must not commit. */
export async function removeOnSqlite(conn: Conn, batch: readonly Chosen[]): Promise<void> {
  await raiseArchivedUntil(conn, batch);
  for (const { organizationId, id } of batch) {
    for (const { name, uncopied } of TABLES)
      if ((await uncopied.all(conn, [organizationId, id, organizationId, id])).length > 0)
        throw new Error(`the copy of activity ${id} lacks rows of ${name}: nothing of its batch was deleted`);
    await remember.run(conn, [organizationId, id]);
    for (const { remove } of TABLES) await remove.run(conn, [organizationId, id]);
  }
}
