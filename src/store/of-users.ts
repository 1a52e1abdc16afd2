import type { Page } from './page.ts';
import { ascending, boundsOf } from './pages.ts';
import { inRange } from './ranges.ts';
import type { Builder, Schema } from './schema.ts';
import { type Conn, dynamic, statement } from './statement.ts';
import type { AnyTable, ModelOf } from './table.ts';

type OfUsers = 'credentials' | 'authenticators' | 'oauth_providers' | 'mfa_policies';

const from = <T extends AnyTable & { name: OfUsers }>(db: Builder, table: T, org: string) =>
  db
    .selectFrom<OfUsers>(table.name)
    .select(table.all as readonly never[])
    .where('organization_id', '=', org);

/** Reads of the rows that users own. They need an index on organization, user and id. */
export function listsOfUsers<T extends AnyTable & { name: OfUsers }>(table: T) {
  const ofUsers = statement((db, p: { org: string; first: string; last: string }) =>
    from(db, table, p.org).where('user_id', '>=', p.first).where('user_id', '<=', p.last).orderBy('user_id').orderBy('id'),
  );
  const ofUser = statement((db, p: { org: string; user: string }) =>
    from(db, table, p.org).where('user_id', '=', p.user).orderBy('id'),
  );
  type Row = ModelOf<T> & { userId: string };
  return (conn: Conn) => ({
    /** The rows of all users from the first to the last id, grouped by user. Those of each user are in the order of creation. */
    async ofUsers(org: string, first: string, last: string): Promise<Map<string, ModelOf<T>[]>> {
      return Map.groupBy((await ofUsers.all(conn, { org, first, last })) as unknown as Row[], ({ userId }) => userId);
    },
    /** In the order of creation. */
    async listByUser(org: string, user: string): Promise<ModelOf<T>[]> {
      return (await ofUser.all(conn, { org, user })) as unknown as Row[];
    },
  });
}

/** The same reads, and pages. */
export function readsOfUsers<T extends AnyTable & { name: OfUsers }>(table: T) {
  const lists = listsOfUsers(table);
  const page = dynamic(
    { after: true, before: true },
    (db, p: { org: string; user: string; after: string | undefined; before: string | undefined; limit: number }) =>
      inRange(from(db, table, p.org), {
        fixed: [['user_id', p.user]],
        key: 'id' as keyof Schema[OfUsers] & string,
        ...boundsOf(p),
      }),
  );
  return (conn: Conn) => ({
    ...lists(conn),
    async pageOfUser(org: string, user: string, options: Page): Promise<ModelOf<T>[]> {
      const { after, before, limit } = options;
      return ascending((await page.all(conn, { org, user, after, before, limit })) as unknown as ModelOf<T>[], options);
    },
  });
}
