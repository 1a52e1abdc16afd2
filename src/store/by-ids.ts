import { inLists } from './lists.ts';
import { allOf, type Key, type Owned } from './pages.ts';
import { type Conn, dynamic } from './statement.ts';
import type { AnyTable, ModelOf } from './table.ts';

/** The rows of an organization that have one of some ids, in no order. */
export function rowsByIds<T extends AnyTable & { name: Owned }>(table: T) {
  const find = dynamic({}, (db, p: { org: string; ids: readonly string[] }) =>
    allOf(db, table, p.org).where('id' as Key, 'in', p.ids as readonly never[]),
  );
  return (conn: Conn, org: string, ids: readonly string[]): Promise<ModelOf<T>[]> =>
    inLists(ids, async (some) => (await find.all(conn, { org, ids: some })) as unknown as ModelOf<T>[]);
}
