import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';

/** The server that `npm test` started, if this run is for PostgreSQL. */
export const serverUrl: string | undefined = process.env.TEST_DATABASE_URL || undefined;

export const engineName = serverUrl === undefined ? 'sqlite' : 'postgres';

/** A fresh, empty database on that server; undefined on SQLite. */
export async function freshDatabase(): Promise<{ url: string; drop(): Promise<void> } | undefined> {
  if (serverUrl === undefined) return undefined;
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  await run(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.toString(), drop: () => run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

type Rows = Record<string, unknown>[];

/** Runs SQL past the store, with $1, $2 … for parameters. */
export async function rawSql(at: { folder: string; url: string | undefined }, sql: string, parameters: unknown[]): Promise<Rows> {
  if (at.url !== undefined) {
    const client = new pg.Client({ connectionString: at.url });
    await client.connect();
    try {
      return (await client.query(sql, parameters)).rows;
    } finally {
      await client.end();
    }
  }
  const db = new Database(join(at.folder, 'countersign.db'));
  try {
    const statement = db.prepare(sql.replace(/\$\d+/g, '?'));
    if (statement.reader) return statement.all(...parameters) as Rows;
    statement.run(...parameters);
    return [];
  } finally {
    db.close();
  }
}
