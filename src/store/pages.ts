import type { Page } from './page.ts';
import { inRange } from './ranges.ts';
import type { Builder, Schema } from './schema.ts';
import { type Conn, dynamic } from './statement.ts';
import type { AnyTable, ModelOf } from './table.ts';

type Cursors = { after: string | undefined; before: string | undefined; limit: number };

/** A page with `before` and without `after` is read backwards from that id. */
export const descends = ({ after, before }: Omit<Page, 'limit'>): boolean => before !== undefined && after === undefined;

/** The bounds of a page in ascending order. */
export const boundsOf = (p: Cursors) => ({ above: p.after, below: p.before, descending: descends(p), limit: p.limit });

export const ascending = <R>(rows: R[], page: Page): R[] => (descends(page) ? rows.reverse() : rows);

/** Tables with an organization and an id in each row. */
export type Owned = {
  [N in keyof Schema]: Schema[N] extends { organization_id: string; id: string } ? N : never;
}[keyof Schema];
export type Key = keyof Schema[Owned] & string;

/** All rows of an organization. */
export const allOf = <T extends AnyTable & { name: Owned }>(db: Builder, table: T, org: string) =>
  db
    .selectFrom<Owned>(table.name)
    .select(table.all as readonly never[])
    .where('organization_id', '=', org);

type PageOf<T extends AnyTable> = (conn: Conn, org: string, page: Page) => Promise<ModelOf<T>[]>;

/** Pages of an organization's rows, in the order of creation. */
export function pagesOf<T extends AnyTable & { name: Owned }>(table: T): PageOf<T> {
  const find = dynamic({ after: true, before: true }, (db, p: Cursors & { org: string }) =>
    inRange(allOf(db, table, p.org), { fixed: [], key: 'id' as Key, ...boundsOf(p) }),
  );
  return async (conn, org, page) => {
    const { after, before, limit } = page;
    return ascending((await find.all(conn, { org, after, before, limit })) as unknown as ModelOf<T>[], page);
  };
}

/** The same, the newest first. `after`: a page of older rows. */
export function pagesOfNewest<T extends AnyTable & { name: Owned }>(table: T): PageOf<T> {
  const find = dynamic({ after: true, before: true }, (db, p: Cursors & { org: string }) => {
    const [above, below] = [p.before, p.after];
    return inRange(allOf(db, table, p.org), {
      fixed: [],
      key: 'id' as Key,
      above,
      below,
      descending: !descends(p),
      limit: p.limit,
    });
  });
  return async (conn, org, page) => {
    const { after, before, limit } = page;
    return ascending((await find.all(conn, { org, after, before, limit })) as unknown as ModelOf<T>[], page);
  };
}
