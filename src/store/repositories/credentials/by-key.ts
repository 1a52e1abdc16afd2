import type { EngineName } from '../../columns.ts';
import { readsOfUsers } from '../../of-users.ts';
import type { Schema } from '../../schema.ts';
import { type Conn, statement } from '../../statement.ts';
import { type AnyTable, type ModelOf, values } from '../../table.ts';
import type { UserVersions } from '../people/user-versions-type.ts';
import { endSessionsOfCredential } from './read-only-sessions.ts';

type Name = 'credentials' | 'authenticators' | 'oauth_providers';

type Place = { org: string; id: string };

/**
 * The statements of a table whose rows users are recognized by. `key`: the column that is unique in an organization. The table
 * has indexes on organization and key, and on parent and key. `engine`: for an engine alone, the look-up by key.
 */
export function rowsByKey<T extends AnyTable & { name: Name }>(
  table: T,
  key: keyof Schema[T['name']] & string,
  engine?: EngineName,
) {
  const column = key as 'id';
  const get = statement((db, p: Place) =>
    db
      .selectFrom<Name>(table.name)
      .select(table.all as readonly never[])
      .where('organization_id', '=', p.org)
      .where('id', '=', p.id),
  );
  const byKey = statement(
    (db, p: { org: string; value: string }) =>
      db
        .selectFrom<Name>(table.name)
        .select(table.all as readonly never[])
        .where('organization_id', '=', p.org)
        .where(column, '=', p.value),
    engine,
  );
  const below = statement((db, p: { parent: string; value: string; most: number }) =>
    db
      .selectFrom<Name>(table.name)
      .select(table.all as readonly never[])
      .where('parent_id', '=', p.parent)
      .where(column, '=', p.value)
      .limit(p.most),
  );
  const insert = statement((db, row: ModelOf<T>) =>
    db
      .insertInto<Name>(table.name)
      .values(values(table, row) as never)
      .onConflict((c) => c.columns(['organization_id', column]).doNothing()),
  );
  const remove = statement((db, p: Place) =>
    db.deleteFrom<Name>(table.name).where('organization_id', '=', p.org).where('id', '=', p.id),
  );
  type Row = ModelOf<T>;
  return {
    lists: readsOfUsers(table),
    get: (conn: Conn, org: string, id: string) => get.first(conn, { org, id }) as Promise<unknown> as Promise<Row | undefined>,
    byKey: (conn: Conn, org: string, value: string) =>
      byKey.first(conn, { org, value }) as Promise<unknown> as Promise<Row | undefined>,
    /** Registrations of the key in the sub-organizations of `parent`. */
    below: (conn: Conn, parent: string, value: string, most: number) =>
      below.all(conn, { parent, value, most }) as Promise<unknown> as Promise<Row[]>,
    /** False if the organization has the key already. */
    insert: async (conn: Conn, row: Row): Promise<boolean> => (await insert.run(conn, row)) === 1,
    /** Removes a credential of a user, and the sessions that it made. */
    async remove(conn: Conn, org: string, user: string, id: string): Promise<boolean> {
      await endSessionsOfCredential(conn, org, user, id);
      return (await remove.run(conn, { org, id })) === 1;
    },
  };
}

type Owned = { organizationId: string; userId: string; createdAt: number };

/** The writes of such a table, each of which makes a new version of its user. */
export const writesByKey = <R extends Owned>(
  rows: {
    get(conn: Conn, org: string, id: string): Promise<R | undefined>;
    insert(conn: Conn, row: R): Promise<boolean>;
    remove(conn: Conn, org: string, user: string, id: string): Promise<boolean>;
  },
  conn: Conn,
  versions: UserVersions,
) => ({
  /** False if the organization has the key already. */
  async insert(row: R): Promise<boolean> {
    await versions.before(row.organizationId, row.userId, row.createdAt);
    return rows.insert(conn, row);
  },
  async remove(org: string, id: string, now: number): Promise<boolean> {
    const user = (await rows.get(conn, org, id))?.userId;
    if (user === undefined) return false;
    await versions.before(org, user, now);
    return rows.remove(conn, org, user, id);
  },
});
