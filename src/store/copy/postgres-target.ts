import type { StatementLimits } from '../../base/database-url.ts';
import { makeMonth, monthOf } from '../archive/postgres-months.ts';
import { SQL_TYPES } from '../columns.ts';
import { openPostgres } from '../engines/postgres.ts';
import { arrayWriter } from '../postgres-array.ts';
import type { Conn } from '../statement.ts';
import { byTable, type Target } from './target.ts';

const COLUMNS = `SELECT c.relname AS table_name, a.attname AS column_name
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`;

/** Anything that a migration could meet, such as a table or a sequence. */
const FOUND = `SELECT relname AS name FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f') ORDER BY 1 LIMIT 1`;

/** The column whose month is that of a row's partition. */
const PARTED = new Map([
  ['archived_activities', 'id'],
  ['archived_votes', 'activity_id'],
  ['archived_audit', 'activity_id'],
  ['archived_sends', 'id'],
  ['archived_send_attempts', 'send_id'],
]);

/** Throws if the database is not empty. */
async function requireEmpty(conn: Conn): Promise<void> {
  const [found] = (await conn.all(FOUND, [])) as { name: string }[];
  if (found !== undefined)
    throw new Error(`the database is not empty: it has ${found.name}. Name an empty database in DATABASE_URL`);
}

export function targetOn(conn: Conn): Target {
  const months = new Set<string>();
  return {
    conn,
    tables: async () => byTable(await conn.all(COLUMNS, [])),
    async insert({ name, columns }, rows) {
      const parted = columns.findIndex(([column]) => column === PARTED.get(name));
      if (parted >= 0)
        for (const month of new Set(rows.map((row) => monthOf(row[parted] as string)))) {
          if (!months.has(month)) await makeMonth(conn, month);
          months.add(month);
        }
      const types = columns.map(([, kind]) => SQL_TYPES.postgres[kind]);
      const given = types.map((type, i) => `$${i + 1}::${type}[]`).join(', ');
      const list = columns.map(([column]) => `"${column}"`).join(', ');
      const arrays = types.map((type, i) => arrayWriter(type)(rows.map((row) => row[i])));
      await conn.run(`INSERT INTO "${name}" (${list}) SELECT * FROM unnest(${given})`, arrays);
    },
    async setLastNumber(table, number) {
      if (number > 0) await conn.all(`SELECT setval('"${table}_position_seq"', $1)`, [number]);
    },
  };
}

type Place = { url: string; statementLimits: StatementLimits };

/** One transaction, without other processes of this program: a failure, or the death of this process, leaves the database empty. */
async function withEmpty<T>({ url, statementLimits: { longStatementMs } }: Place, work: (conn: Conn) => Promise<T>): Promise<T> {
  const driver = openPostgres(url, { poolSize: 1, statementMs: longStatementMs, longStatementMs });
  try {
    return await driver.exclusively(async (conn) => {
      await requireEmpty(conn);
      return work(conn);
    });
  } finally {
    await driver.close();
  }
}

export const loadPostgres = <T>(place: Place, load: (target: Target) => Promise<T>): Promise<T> =>
  withEmpty(place, (conn) => load(targetOn(conn)));

/** For a dry run. */
export const checkEmpty = (place: Place): Promise<void> => withEmpty(place, async () => {});
