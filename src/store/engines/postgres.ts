import pg from 'pg';
import { Busy, NoSpace } from '../../base/errors.ts';
import { gate } from '../../base/gate.ts';
import type { Conn } from '../statement.ts';
import type { EngineDriver } from './driver.ts';

const INT8 = 20;
/** Any fixed number: all processes of one database take the same lock. */
const MIGRATION_LOCK = 7_253_051_947;
const ATTEMPTS = 5;
/**
 * serialization_failure, deadlock_detected, and unique_violation: another transaction took a name after it was found
 * free. A retry sees the name as taken.
 */
const RETRYABLE = new Set(['40001', '40P01', '23505']);

/**
 * Every statement finds its rows by an index. For new tables without statistics, the planner prefers full scans, and keeps
 * such a plan for minutes while the tables grow.
 */
export const BY_INDEX = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off';

/** In milliseconds. A process that hangs inside a transaction must not block the others. */
const PATIENCE = { lock: 5_000, idleInTransaction: 30_000, connection: 10_000 };
const PATIENT = `SET lock_timeout = ${PATIENCE.lock}; SET idle_in_transaction_session_timeout = ${PATIENCE.idleInTransaction}`;

/** Connections reserved for look-ups and signatures. */
const SPARED = 4;

/**
 * Errors that a retry may resolve: lock_not_available, too_many_connections, out_of_memory, idle_in_transaction_session_timeout, the
 * server going down or coming up (57P01 to 57P03), io_error, and every connection_exception. The outcome of a commit in progress is then unknown: sending the
 * same body again shows it.
 */
const PASSING =
  /^(55P03|53[23]00|25P03|57P0[123]|58030|08...|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

const DISK_FULL = '53100';

/** Messages of the driver itself, which have no code. */
const LOST =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Client was closed)/;

function explained(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Busy) return error;
  const { code } = error as { code?: unknown };
  if (code === DISK_FULL) return new NoSpace('the database server has no space left', { cause: error });
  if (!PASSING.test(String(code ?? '')) && !LOST.test(error.message)) return error;
  return new Busy('the database is busy, or the connection to it was lost', { cause: error });
}

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
    client.query({ name: nameOf(sql), text: sql, values: parameters as unknown[] }).catch((error) => {
      throw explained(error);
    });
  return {
    engine: 'postgres',
    all: async (sql, parameters) => (await query(sql, parameters)).rows,
    run: async (sql, parameters) => (await query(sql, parameters)).rowCount ?? 0,
    get archive() {
      return this;
    },
  };
}

/** Runs `work` between BEGIN and COMMIT on one connection; a connection that fails to roll back is discarded. */
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

/** Lends a connection, and gives it back; a broken one is discarded. */
const clientsOf = (pool: pg.Pool) =>
  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client: pg.PoolClient & { broken?: Error } = await pool.connect().catch((error) => {
      throw explained(error);
    });
    // The pool listens to idle connections only, and an unhandled error event ends the process.
    const lost = (error: Error) => {
      client.broken = error;
    };
    client.on('error', lost);
    try {
      return await work(client);
    } catch (error) {
      throw explained(error);
    } finally {
      client.release(client.broken);
      client.off('error', lost);
    }
  };

function poolOf(url: string, poolSize: number): pg.Pool {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, (text: string) => Number(text));
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    types,
    connectionTimeoutMillis: PATIENCE.connection,
    application_name: 'countersign',
    onConnect: async (client) => {
      await client.query(`${BY_INDEX}; ${PATIENT}`);
    },
  });
  // A connection that breaks while idle is replaced by the pool; the next query reports the error.
  pool.on('error', () => {});
  return pool;
}

/** PostgreSQL 14 or newer. READ COMMITTED; state changes are compare-and-set, so no stronger level is needed. */
export function openPostgres(url: string, poolSize: number): EngineDriver {
  const pool = poolOf(url, poolSize);
  const withClient = clientsOf(pool);
  const turn = gate(Math.max(1, poolSize - SPARED));

  async function transaction<T>(work: (conn: Conn) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await turn(() => withClient((client) => inTransaction(client, work)));
      } catch (error) {
        const retry = error instanceof pg.DatabaseError && RETRYABLE.has(error.code ?? '');
        if (!retry || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** For work of any length: nobody else holds the lock meanwhile. */
  const underLock: EngineDriver['underLock'] = (work, waiting) =>
    withClient(async (client) => {
      await client.query('SET lock_timeout = 0');
      const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS taken', [MIGRATION_LOCK]);
      if (!rows[0].taken) {
        waiting();
        await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
      }
      try {
        return await work((part) => inTransaction(client, part));
      } finally {
        // A connection that cannot give the lock back is closed, which does.
        await client
          .query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK])
          .then(() => client.query(PATIENT))
          .catch((broken: Error) => Object.assign(client, { broken }));
      }
    });

  const shared = connect(pool);
  return {
    engine: 'postgres',
    reader: shared,
    transaction,
    write: async (work) => work(shared),
    exclusively: (work) =>
      underLock(
        (transaction) => transaction(work),
        () => {},
      ),
    underLock,
    space: () => undefined,
    close: () => pool.end(),
  };
}
