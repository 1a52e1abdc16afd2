import { USAGE_PLACE, type UsagePlace } from '../../model/usage.ts';
import { instanceReads, instanceWrites } from '../repositories/service/instance.ts';
import type { Conn } from '../statement.ts';
import type { CopiedTable } from './columns.ts';
import { ORDERED } from './select.ts';

/**
 * On PostgreSQL, rows of one transaction share their position. On SQLite each needs its own, in the same order. The place up to which
 * usage was summed stays between the same two rows. Positions that differ already stay as they are.
 */
export function apart(conn: Conn) {
  if (conn.engine !== 'sqlite') return { place: (_: CopiedTable, __: unknown[]): void => {}, end: async (): Promise<void> => {} };
  const last = new Map<string, number>();
  let summed: UsagePlace | undefined;
  const moved: { -readonly [K in keyof UsagePlace]?: number } = {};
  return {
    /** Call it with each row in the order of positions, after the rows of `instance`. */
    async place({ name, columns }: CopiedTable, row: unknown[]): Promise<void> {
      if (!ORDERED.has(name)) return;
      summed ??= JSON.parse((await instanceReads(conn).get(USAGE_PLACE)) ?? '{}') as UsagePlace;
      const at = columns.findIndex(([column]) => column === 'position');
      const given = row[at] as number;
      const own = Math.max((last.get(name) ?? 0) + 1, given);
      last.set(name, own);
      row[at] = own;
      const table = name as keyof UsagePlace;
      if (given <= (summed[table] ?? 0)) moved[table] = own;
    },
    async end(): Promise<void> {
      if (summed === undefined) return;
      const place = Object.entries(summed).map(([table, at]) => [table, Math.max(at, moved[table as keyof UsagePlace] ?? 0)]);
      await instanceWrites(conn).put(USAGE_PLACE, JSON.stringify(Object.fromEntries(place)));
    },
  };
}
