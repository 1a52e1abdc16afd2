import type { Conn } from './statement.ts';

/** How the PostgreSQL server is set for this connection. `now`: its clock, in milliseconds. */
export type ServerSettings = {
  version: string;
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  isEncrypted: boolean;
  /** Over a Unix socket, or from and to a loopback address. */
  isLocal: boolean;
  isReadOnly: boolean;
  now: number;
};

const SETTINGS = `
SELECT current_setting('server_version') AS version,
  current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS "fullPageWrites",
  current_setting('synchronous_commit') AS "synchronousCommit",
  coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS "isEncrypted",
  coalesce(inet_server_addr() <<= '127.0.0.0/8'::inet OR inet_server_addr() = '::1'::inet, true) AS "isLocal",
  pg_is_in_recovery() AS "isReadOnly",
  (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`;

/** Whether commits wait for a standby: PostgreSQL's `synchronous_standby_names` is set. */
export async function waitsForStandby(conn: Conn): Promise<boolean> {
  const [row] = (await conn.all("SELECT current_setting('synchronous_standby_names') <> '' AS waits", [])) as [
    { waits: boolean },
  ];
  return row.waits;
}

/** Undefined on SQLite, whose settings are this program's. */
export async function serverSettings(conn: Conn): Promise<ServerSettings | undefined> {
  if (conn.engine === 'sqlite') return undefined;
  const [row] = await conn.all(SETTINGS, []);
  return row as ServerSettings;
}
