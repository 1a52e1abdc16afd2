import { AUDIT_PLACE } from '../../model/audit-fact.ts';
import { SHIP_PLACE } from '../../model/shipping.ts';
import { USAGE_PLACE } from '../../model/usage.ts';
import { instanceReads, instanceWrites } from '../repositories/service/instance.ts';
import type { Conn } from '../statement.ts';
import type { CopiedTable } from './columns.ts';
import { ORDERED } from './select.ts';

/** The instance's rows that hold a place in the order of positions: a number for each table. */
const PLACES = [USAGE_PLACE, AUDIT_PLACE, SHIP_PLACE];

type Numbers = Record<string, number>;

/**
 * On PostgreSQL, rows of one transaction share their position. On SQLite each needs its own, in the same order. The place that a worker
 * has reached stays between the same two rows. Positions that differ already stay as they are.
 */
export function distinctPositions(conn: Conn) {
  if (conn.engine !== 'sqlite') return { place: (_: CopiedTable, __: unknown[]): void => {}, end: async (): Promise<void> => {} };
  const last = new Map<string, number>();
  /** By the key of its row: the place as it was copied, and where its last row is now. */
  const reached = new Map<string, { copied: Numbers; moved: Numbers }>();
  return {
    /** Call it with each row in the order of positions, after the rows of `instance`. */
    async place({ name, columns }: CopiedTable, row: unknown[]): Promise<void> {
      if (!ORDERED.has(name)) return;
      if (last.size === 0)
        for (const key of PLACES) {
          const text = await instanceReads(conn).get(key);
          if (text !== undefined) reached.set(key, { copied: JSON.parse(text) as Numbers, moved: {} });
        }
      const at = columns.findIndex(([column]) => column === 'position');
      const given = row[at] as number;
      const own = Math.max((last.get(name) ?? 0) + 1, given);
      last.set(name, own);
      row[at] = own;
      for (const { copied, moved } of reached.values()) if (given <= (copied[name] ?? 0)) moved[name] = own;
    },
    async end(): Promise<void> {
      for (const [key, { copied, moved }] of reached) {
        const place = Object.entries(copied).map(([table, at]) => [table, Math.max(at, moved[table] ?? 0)]);
        await instanceWrites(conn).put(key, JSON.stringify(Object.fromEntries(place)));
      }
    },
  };
}
