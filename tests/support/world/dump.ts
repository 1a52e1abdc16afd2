import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import type { Instance } from '../instance.ts';

/** `rates` names no organization, and an account of `send_accounts` may be in several organizations. */
const WITHOUT_ORGANIZATION = [
  'migrations',
  'instance',
  'master_keys',
  'service_keys',
  'webhook_keys',
  'clock',
  'leases',
  'boot_proofs',
  'scan_places',
  'scan_blocks',
  'scan_addresses',
  'rates',
  'send_accounts',
];
/** A worker changes these beside requests, whenever a receiver answers. */
const OF_WEBHOOKS = ['webhook_events', 'webhook_deliveries', 'webhook_queues', 'stream_interests', 'stream_events'];
/** A worker adds to these beside requests. */
const OF_USAGE = ['usage_counts', 'audit_facts', 'audit_subjects'];
const NOT_READ = new Set([...WITHOUT_ORGANIZATION, ...OF_WEBHOOKS, ...OF_USAGE]);

/** The rows of some organizations, by table, each as JSON. */
export type Rows = Map<string, string[]>;

export type Dump = {
  of(organizationIds: readonly string[]): Promise<Rows>;
  /** The rows of all organizations. */
  all(): Promise<Rows>;
  close(): Promise<void>;
};

type Source = {
  columns(): Promise<{ table: string; column: string }[]>;
  /** What each statement finds. */
  rows(statements: (ids: string) => string[], organizationIds: readonly string[]): Promise<object[][]>;
  close(): Promise<void>;
};

function sqlite(folder: string): Source {
  const db = new Database(join(folder, 'countersign.db'), { readonly: true });
  const columns = `SELECT m.name AS "table", c.name AS "column" FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`;
  const known = new Map<string, Database.Statement>();
  const prepared = (sql: string) => {
    const statement = known.get(sql) ?? db.prepare(sql);
    known.set(sql, statement);
    return statement;
  };
  return {
    columns: async () => db.prepare(columns).all() as { table: string; column: string }[],
    rows: async (statements, ids) =>
      statements(ids.map((id) => `x'${id.replaceAll('-', '')}'`).join()).map((sql) => prepared(sql).all() as object[]),
    close: async () => void db.close(),
  };
}

async function postgres(url: string): Promise<Source> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const columns = `SELECT c.relname AS "table", a.attname AS "column" FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped`;
  return {
    columns: async () => (await client.query(columns)).rows,
    async rows(statements, ids) {
      // One round trip: the result of several statements is a list, which the types do not know.
      const text = statements(ids.map((id) => `'${id}'`).join()).join(';');
      return ((await client.query(text)) as unknown as { rows: object[] }[]).map(({ rows }) => rows);
    },
    close: () => client.end(),
  };
}

const readable = (_: string, value: unknown): unknown => {
  const bytes =
    (value as { type?: string; data?: number[] } | null)?.type === 'Buffer' ? (value as { data: number[] }).data : undefined;
  if (bytes === undefined) return value;
  const hex = Buffer.from(bytes).toString('hex');
  return bytes.length === 16 ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') : hex;
};

/** Reads the rows of organizations past the service, in every table that there is. */
export async function openDump({
  dataDir,
  databaseUrl,
  url,
}: Pick<Instance, 'dataDir' | 'databaseUrl'> & { url?: string }): Promise<Dump> {
  const source = databaseUrl === undefined ? sqlite(dataDir) : await postgres(databaseUrl);
  const tables = new Map<string, string[]>();
  for (const { table, column } of await source.columns()) tables.set(table, [...(tables.get(table) ?? []), column]);
  const owned = [...tables].flatMap(([table, columns]): [string, string][] => {
    if (NOT_READ.has(table)) return [];
    if (table === 'organizations') return [[table, 'id']];
    if (columns.includes('organization_id')) return [[table, 'organization_id']];
    throw new Error(`${table} has no organization_id: say in tests/support/world/dump.ts whose its rows are`);
  });
  const read = async (which: (column: string, ids: string) => string, organizationIds: readonly string[]): Promise<Rows> => {
    // What became of mails is written after their activities: this answers once none is under way.
    if (url !== undefined) await fetch(`${url}/dev/outbox`);
    const found = await source.rows(
      (ids) => owned.map(([table, column]) => `SELECT * FROM ${table}${which(column, ids)}`),
      organizationIds,
    );
    return new Map(owned.map(([table], i) => [table, found[i]!.map((row) => JSON.stringify(row, readable)).sort()]));
  };
  return {
    of: (organizationIds) => read((column, ids) => ` WHERE ${column} IN (${ids})`, organizationIds),
    all: () => read(() => '', []),
    close: source.close,
  };
}

/** What one has and the other has not, for the message of a test. */
export function difference(before: Rows, after: Rows): string[] {
  const found: string[] = [];
  for (const [table, rows] of after) {
    const old = before.get(table) ?? [];
    for (const row of rows) if (!old.includes(row)) found.push(`+ ${table} ${row}`);
    for (const row of old) if (!rows.includes(row)) found.push(`- ${table} ${row}`);
    if (rows.length !== old.length) found.push(`${table}: ${rows.length} rows, not ${old.length}`);
  }
  return found;
}
