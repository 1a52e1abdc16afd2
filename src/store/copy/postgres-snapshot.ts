import type pg from 'pg';
import type { StatementLimits } from '../../base/database-url.ts';
import { explained } from '../engines/postgres-conditions.ts';
import type { Connection } from '../engines/postgres-connection.ts';
import { connector, longPatience } from '../engines/postgres-servers.ts';
import { requireSchema } from '../migrations/migrate.ts';
import type { Conn } from '../statement.ts';
import { type CopiedRow, type CopiedTable, readerOf } from './columns.ts';
import { ORDERED, selectOf } from './select.ts';
import type { Snapshot } from './snapshot.ts';

/** The rows of one FETCH have together about this size. */
const FETCH = { first: 16, most: 2_000, bytes: 2 ** 20 };

/** The rows of each table as arrays. A cursor needs no order, and the server sorts nothing: it reads a table from its begin to its end. */
async function* fetched(connection: Connection, table: CopiedTable, newest: number | undefined): AsyncGenerator<unknown[]> {
  await connection.query(`SET LOCAL enable_seqscan = ${ORDERED.has(table.name) ? 'off' : 'on'}`);
  await connection.query(`DECLARE copied NO SCROLL CURSOR FOR ${selectOf(table, '', newest)}`);
  for (let count = FETCH.first; ; ) {
    const text = `FETCH FORWARD ${count} FROM copied`;
    const { rows } = await connection.query({ text, rowMode: 'array' } as pg.QueryConfig);
    yield* rows as unknown[][];
    if (rows.length < count) break;
    const bytes = (rows as unknown[][]).reduce((sum, row) => sum + sizeOf(row), 0);
    count = Math.min(FETCH.most, 2 * count, Math.max(1, Math.floor((count * FETCH.bytes) / bytes)));
  }
  await connection.query('CLOSE copied');
}

const sizeOf = (row: readonly unknown[]): number =>
  row.reduce<number>((sum, value) => sum + 16 + ((value as { length?: number } | null)?.length ?? 0), 0);

/** One transaction on a connection of its own. It may also read from a standby. */
export async function openOnPostgres(url: string, { longStatementMs }: StatementLimits): Promise<Snapshot> {
  const patience = longPatience(longStatementMs);
  // The disk that the copy goes to may be slow.
  const connection = await connector(
    url,
    { ...patience, idleInTransaction: patience.answer },
    true,
  )(new AbortController().signal);
  const query = async (text: string, values: readonly unknown[] = []) => {
    try {
      return await connection.query({ text, values: [...values] });
    } catch (error) {
      throw explained(error);
    }
  };
  const conn: Conn = {
    engine: 'postgres',
    all: async (sql, parameters) => (await query(sql, parameters)).rows,
    run: async (sql, parameters) => (await query(sql, parameters)).rowCount ?? 0,
  };
  try {
    await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await requireSchema(conn);
  } catch (error) {
    connection.end();
    throw error;
  }
  return {
    conn,
    lacksArchive: false,
    async *rows(table, newest): AsyncGenerator<CopiedRow> {
      const read = readerOf('postgres', table);
      try {
        for await (const row of fetched(connection, table, newest)) yield read(row);
      } catch (error) {
        throw explained(error);
      }
    },
    async lastNumber(table) {
      const [row] = (await conn.all(`SELECT last_value, is_called FROM "${table}_position_seq"`, [])) as NumberRow[];
      return row!.is_called ? Number(row!.last_value) : 0;
    },
    async close() {
      connection.end();
    },
  };
}

type NumberRow = { last_value: number; is_called: boolean };
