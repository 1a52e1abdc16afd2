import pg from 'pg';
import type { Conn } from '../statement.ts';
import type { EngineDriver } from './driver.ts';

const INT8 = 20;
/** Any fixed number: all processes of one database take the same lock. */
const MIGRATION_LOCK = 7_253_051_947;
const ATTEMPTS = 5;
/**
 * serialization_failure, deadlock_detected, and unique_violation: a name that was free when it was asked for went to
 * another transaction, which the same work sees when it is done again.
 */
const RETRYABLE = new Set(['40001', '40P01', '23505']);

/**
 * Every statement finds its rows by an index. While tables are young and have no statistics, the planner thinks that reading them whole is
 * cheaper, and keeps such a plan for minutes while they grow.
 */
export const BY_INDEX = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off';

const names = new Map<string, string>();

/** Each SQL text is prepared once per connection under a name of its own. */
function nameOf(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `s${names.size}`;
    names.set(sql, name);
  }
  return name;
}

type Queryable = { query(config: pg.QueryConfig): Promise<pg.QueryResult> };

function connect(client: Queryable): Conn {
  const query = (sql: string, parameters: readonly unknown[]) =>
    client.query({ name: nameOf(sql), text: sql, values: parameters as unknown[] });
  return {
    engine: 'postgres',
    all: async (sql, parameters) => (await query(sql, parameters)).rows,
    run: async (sql, parameters) => (await query(sql, parameters)).rowCount ?? 0,
  };
}

/** PostgreSQL 14 or newer. READ COMMITTED; state changes are compare-and-set, so no stronger level is needed. */
export function openPostgres(url: string, poolSize: number): EngineDriver {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, (text: string) => Number(text));
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    types,
    connectionTimeoutMillis: 10_000,
    application_name: 'countersign',
    onConnect: async (client) => {
      await client.query(BY_INDEX);
    },
  });
  // A connection that breaks while idle is replaced by the pool; the next query reports what is wrong.
  pool.on('error', () => {});

  /** Runs `work` between BEGIN and COMMIT on one connection; a connection that cannot even roll back is thrown away. */
  async function inTransaction<T>(client: pg.PoolClient, work: (conn: Conn) => Promise<T>): Promise<T> {
    try {
      await client.query('BEGIN');
      const value = await work(connect(client));
      await client.query('COMMIT');
      return value;
    } catch (error) {
      await client.query('ROLLBACK').catch((broken: Error) => Object.assign(client, { broken }));
      throw error;
    }
  }

  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    try {
      return await work(client);
    } finally {
      client.release((client as { broken?: Error }).broken);
    }
  }

  async function transaction<T>(work: (conn: Conn) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await withClient((client) => inTransaction(client, work));
      } catch (error) {
        const retry = error instanceof pg.DatabaseError && RETRYABLE.has(error.code ?? '');
        if (!retry || attempt === ATTEMPTS) throw error;
      }
    }
  }

  const shared = connect(pool);
  return {
    engine: 'postgres',
    reader: shared,
    transaction,
    write: async (work) => work(shared),
    exclusively: (work) =>
      withClient(async (client) => {
        await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
        try {
          return await inTransaction(client, work);
        } finally {
          await client.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
        }
      }),
    close: () => pool.end(),
  };
}
