import { realpathSync, statSync } from 'node:fs';
import type { Conn } from './statement.ts';

/**
 * Which database this is, as far as it can be read. A copy differs in at least one member. `system` is PostgreSQL's identifier of the
 * cluster: null if this role may not read it. `marked`: SQLite's mark file was there when the database was opened.
 */
export type Identity =
  | { engine: 'sqlite'; path: string; inode: string; marked: boolean }
  | { engine: 'postgres'; system: string | null; database: string; table: string };

export const sqliteIdentity = (file: string, marked: boolean): Identity => ({
  engine: 'sqlite',
  path: realpathSync(file),
  inode: String(statSync(file, { bigint: true }).ino),
  marked,
});

const OIDS = `SELECT (SELECT oid FROM pg_database WHERE datname = current_database())::text AS database,
  'instance'::regclass::oid::text AS "table", has_function_privilege('pg_control_system()', 'EXECUTE') AS readable`;
const SYSTEM = 'SELECT system_identifier::text AS system FROM pg_control_system()';

export async function postgresIdentity(conn: Conn): Promise<Identity> {
  const [{ database, table, readable }] = (await conn.all(OIDS, [])) as [{ database: string; table: string; readable: boolean }];
  const [found] = readable ? ((await conn.all(SYSTEM, [])) as { system: string }[]) : [];
  return { engine: 'postgres', system: found?.system ?? null, database, table };
}
