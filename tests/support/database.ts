import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import pg from 'pg';
import { DATABASE_FILE } from '../../src/base/files.ts';

/** The server that `npm test` started, if this run is for PostgreSQL. */
export const serverUrl: string | undefined = process.env.TEST_DATABASE_URL || undefined;

export const engineName = serverUrl === undefined ? 'sqlite' : 'postgres';

/** A migrated database that `npm test` made: its name on the server, or its file. A file that runs by itself has none, and migrates its own. */
const template: string | undefined = process.env.TEST_DATABASE_TEMPLATE || undefined;

/** PostgreSQL starts a process for each connection, which takes longer than most statements: those of a file are kept. */
const poolAt = (url: string) => {
  const pool = new pg.Pool({ connectionString: url, allowExitOnIdle: true });
  // An idle connection whose server ends is gone, and the next statement opens another.
  pool.on('error', () => undefined);
  return pool;
};

const pools = new Map<string, pg.Pool>();

/** Runs a statement on the server itself. */
async function onServer(server: string, sql: string): Promise<Rows> {
  if (!pools.has(server)) pools.set(server, poolAt(server));
  return (await pools.get(server)!.query(sql)).rows;
}

/** Copies files instead of pages, as PostgreSQL 14 always does. That takes a third of the time. */
async function quickCopy(server: string): Promise<string> {
  const [row] = await onServer(server, "SELECT current_setting('server_version_num')::int >= 150000 AS chooses");
  return row!.chooses ? ' STRATEGY file_copy' : '';
}

export type Fresh = { url: string; drop(): Promise<void> };

/** A fresh, empty database on that server; undefined on SQLite. `from`: a database to copy. */
export async function freshDatabase(server: string | undefined = serverUrl, from?: string): Promise<Fresh | undefined> {
  if (server === undefined) return undefined;
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const copied = from === undefined ? '' : ` TEMPLATE ${from}`;
  await onServer(server, `CREATE DATABASE ${name}${copied}${await quickCopy(server)}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.toString(),
    async drop() {
      await onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** The same for a caller that migrates it first: it may be migrated already. On SQLite that is a file in `folder`. */
export async function freshMigrated(folder: string): Promise<Fresh | undefined> {
  if (serverUrl === undefined && template !== undefined) copyFileSync(template, join(folder, DATABASE_FILE));
  return freshDatabase(serverUrl, template);
}

type Rows = Record<string, unknown>[];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** SQLite keeps ids in 16 bytes. PostgreSQL takes and gives them as texts. */
const stored = (value: unknown): unknown =>
  typeof value === 'string' && UUID.test(value) ? Buffer.from(value.replaceAll('-', ''), 'hex') : value;

const shown = (value: unknown): unknown =>
  Buffer.isBuffer(value) && value.length === 16
    ? value.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    : value;

const inWords = (row: object) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shown(value)]));

const BUSY_MS = 30_000;

/** The service may hold the write lock in this very process, and needs the thread to release it. */
const openFile = (folder: string) => new Database(join(folder, DATABASE_FILE), { timeout: 0 });

async function runOn(db: Database.Database, sql: string, parameters: readonly unknown[]): Promise<Rows> {
  const text = sql.replace(/\$\d+/g, '?');
  for (const end = Date.now() + BUSY_MS; ; await setTimeout(2)) {
    try {
      const statement = db.prepare(text);
      if (statement.reader) return statement.all(...parameters) as Rows;
      statement.run(...parameters);
      return [];
    } catch (error) {
      const { code } = error as { code?: string };
      if (!code?.startsWith('SQLITE_BUSY') || Date.now() > end) throw error;
    }
  }
}

/** Runs SQL past the store, with $1, $2 … for parameters, which are stored as they are given. */
export async function plainSql(
  at: { folder: string; url: string | undefined },
  sql: string,
  parameters: readonly unknown[] = [],
): Promise<Rows> {
  if (at.url !== undefined) {
    const client = new pg.Client({ connectionString: at.url });
    await client.connect();
    try {
      return (await client.query(sql, [...parameters])).rows;
    } finally {
      await client.end();
    }
  }
  const db = openFile(at.folder);
  try {
    return await runOn(db, sql, parameters);
  } finally {
    db.close();
  }
}

/** The same. Ids are texts on both engines: values of their form are converted. */
export async function rawSql(at: Parameters<typeof plainSql>[0], sql: string, parameters: readonly unknown[]): Promise<Rows> {
  if (at.url !== undefined) return plainSql(at, sql, parameters);
  return (await plainSql(at, sql, parameters.map(stored))).map(inWords);
}

/** The same for a caller that asks again and again: its connections stay open. */
export function keptSql(at: Parameters<typeof plainSql>[0]) {
  let db: Database.Database | undefined;
  let pool: pg.Pool | undefined;
  return {
    async raw(sql: string, ...parameters: unknown[]): Promise<Rows> {
      if (at.url !== undefined) {
        pool ??= poolAt(at.url);
        return (await pool.query(sql, parameters)).rows;
      }
      db ??= openFile(at.folder);
      const rows = (await runOn(db, sql, parameters.map(stored))).map(inWords);
      // A service in this process sees it from the next turn of the event loop on.
      await setImmediate();
      return rows;
    },
    async close() {
      db?.close();
      db = undefined;
      await pool?.end();
      pool = undefined;
    },
  };
}
