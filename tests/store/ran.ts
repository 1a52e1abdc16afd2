import pg from 'pg';
import { openedOn } from '../../src/store/repositories/index.ts';
import { countsIn } from '../../src/store/repositories/limits/counts.ts';
import { settlementsIn } from '../../src/store/repositories/policies/velocity-settlements.ts';
import type { Conn } from '../../src/store/statement.ts';
import type { Store, Writer } from '../../src/store/types.ts';
import { writerOf } from '../../src/store/version-raising.ts';
import type { Opened } from './opened.ts';

export type Running = {
  /** On PostgreSQL without BEGIN and COMMIT. */
  store: Pick<Store, 'transaction'>;
  /** Statements of transactions until now. On SQLite none is noted. */
  ran: readonly string[];
  close(): Promise<void>;
};

/** Transactions whose statements are noted, on a connection of their own to PostgreSQL. */
export async function noting({ url, store }: Opened): Promise<Running> {
  if (url === undefined) return { store, ran: [], close: async () => {} };
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const ran: string[] = [];
  const ask = (sql: string, parameters: readonly unknown[]) => {
    ran.push(sql);
    return client.query(sql, parameters as unknown[]);
  };
  const conn: Conn = {
    engine: 'postgres',
    all: async (sql, parameters) => (await ask(sql, parameters)).rows,
    run: async (sql, parameters) => (await ask(sql, parameters)).rowCount ?? 0,
  };
  const { tx } = writerOf(openedOn(conn, countsIn(conn), settlementsIn(conn)));
  return {
    store: { transaction: <T>(work: (tx: Writer) => Promise<T>) => work(tx) },
    ran,
    close: () => client.end(),
  };
}
