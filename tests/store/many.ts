import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import pg from 'pg';
import { position } from '../../src/store/position.ts';
import { type AnyTable, type ModelOf, stored } from '../../src/store/table.ts';

const AT_ONCE = 10_000;

export type Bulk = {
  /** Inserts `count` rows past the store. */
  insert<T extends AnyTable>(table: T, count: number, row: (n: number) => ModelOf<T>): Promise<void>;
  close(): Promise<void>;
};

/** The stored values of each column. */
function columnsOf(members: ReturnType<typeof stored>, engine: 'sqlite' | 'postgres', rows: readonly object[]) {
  return members.map(({ key, column, from }) => {
    const { write = (value: unknown) => value } = column[engine];
    return rows.map((row) => write(from === undefined ? (row as Record<string, unknown>)[key] : from(row)));
  });
}

const namesOf = (table: AnyTable) => stored(table).map(({ name }) => `"${name}"`);

function onSqlite(folder: string): Bulk {
  const db = new Database(join(folder, 'countersign.db'));
  return {
    async insert(table, count, row) {
      const names = namesOf(table);
      const insert = db.prepare(`INSERT INTO ${table.name} (${names}) VALUES (${names.map(() => '?')})`);
      const all = db.transaction(() => {
        for (let at = 0; at < count; at += AT_ONCE) {
          const rows = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, i) => row(at + i));
          const columns = columnsOf(stored(table), 'sqlite', rows);
          for (let i = 0; i < rows.length; i++) insert.run(columns.map((column) => column[i]));
        }
      });
      all();
      // A store in this process sees it from the next turn of the event loop on.
      await setImmediate();
    },
    async close() {
      db.close();
    },
  };
}

async function onPostgres(url: string): Promise<Bulk> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    async insert(table, count, row) {
      // The database gives each row its position.
      const given = stored(table).filter(({ name, column }) => name !== 'position' || column !== position.column);
      const types = given.map(({ column }, i) => `$${i + 1}::${column.postgres.type}[]`);
      const names = given.map(({ name }) => `"${name}"`);
      const insert = `INSERT INTO ${table.name} (${names}) SELECT * FROM unnest(${types})`;
      for (let at = 0; at < count; at += AT_ONCE) {
        const rows = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, i) => row(at + i));
        await client.query(insert, columnsOf(given, 'postgres', rows));
      }
    },
    close: () => client.end(),
  };
}

/** Makes rows by the hundred thousand: through the store they would take minutes. */
export const bulk = async ({ folder, url }: { folder: string; url: string | undefined }): Promise<Bulk> =>
  url === undefined ? onSqlite(folder) : onPostgres(url);
