import type { Page } from './page.ts';
import { ascending, boundsOf } from './pages.ts';
import { inRange } from './ranges.ts';
import type { Builder, Schema } from './schema.ts';
import { type Conn, dynamic, statement } from './statement.ts';
import type { AnyTable, ModelOf } from './table.ts';

type OfUsers = 'credentials' | 'authenticators' | 'oauth_providers';

/** Lists of what users have, each with an index on organization, user and id. */
export function readsOfUsers<T extends AnyTable & { name: OfUsers }>(table: T) {
  const from = (db: Builder, org: string) =>
    db
      .selectFrom<OfUsers>(table.name)
      .select(table.all as readonly never[])
      .where('organization_id', '=', org);
  const page = dynamic(
    { after: true, before: true },
    (db, p: { org: string; user: string; after: string | undefined; before: string | undefined; limit: number }) =>
      inRange(from(db, p.org), {
        fixed: [['user_id', p.user]],
        key: 'id' as keyof Schema[OfUsers] & string,
        ...boundsOf(p),
      }),
  );
  const ofUsers = statement((db, p: { org: string; first: string; last: string }) =>
    from(db, p.org).where('user_id', '>=', p.first).where('user_id', '<=', p.last).orderBy('user_id').orderBy('id'),
  );
  const ofUser = statement((db, p: { org: string; user: string }) => from(db, p.org).where('user_id', '=', p.user).orderBy('id'));
  type Row = ModelOf<T> & { userId: string };
  return (conn: Conn) => ({
    async pageOfUser(org: string, user: string, options: Page): Promise<ModelOf<T>[]> {
      const { after, before, limit } = options;
      return ascending((await page.all(conn, { org, user, after, before, limit })) as unknown as Row[], options);
    },
    /** Of all users from the first to the last id: by user, each user's in the order of creation. */
    async ofUsers(org: string, first: string, last: string): Promise<Map<string, ModelOf<T>[]>> {
      return Map.groupBy((await ofUsers.all(conn, { org, first, last })) as unknown as Row[], ({ userId }) => userId);
    },
    /** In the order of creation. */
    async listByUser(org: string, user: string): Promise<ModelOf<T>[]> {
      return (await ofUser.all(conn, { org, user })) as unknown as Row[];
    },
  });
}
