import { instanceReads, instanceWrites } from './repositories/service/instance.ts';
import type { Conn } from './statement.ts';

/** The offset of positions on PostgreSQL: 0, or the highest position from an earlier server. */
export const POSITION_BASE = 'position_base';

/** The highest position, and the number of the first transaction that is invisible to this statement. */
const HIGHEST = `SELECT greatest((SELECT max(position) FROM activities), (SELECT max(position) FROM audit)) AS highest,
  pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next`;

/**
 * Keeps positions rising on PostgreSQL. If a dump is restored on another server, that server's transaction numbers may be lower than
 * the restored positions. Positions then continue above the highest one. Call this under the migrations' lock.
 */
export async function keepPositionsRising(conn: Conn): Promise<void> {
  if (conn.engine === 'sqlite') return;
  const base = Number((await instanceReads(conn).get(POSITION_BASE)) ?? 0);
  const [row] = (await conn.all(HIGHEST, [])) as { highest: string | null; next: string }[];
  const highest = Number(row!.highest ?? 0);
  if (highest < base + Number(row!.next)) return;
  await instanceWrites(conn).put(POSITION_BASE, String(highest));
  for (const table of ['activities', 'audit'])
    await conn.run(
      `ALTER TABLE ${table} ALTER COLUMN position SET DEFAULT (${highest} + pg_current_xact_id()::text::bigint)`,
      [],
    );
}
