import { limitConcurrency } from '../../base/concurrency.ts';
import type { StatementLimits } from '../../base/database-url.ts';
import { Busy } from '../../base/errors.ts';
import { postgresIdentity } from '../identity.ts';
import type { Conn } from '../statement.ts';
import type { EngineDriver } from './driver.ts';
import { explained, inTheWay, isRetryable, ofCommit } from './postgres-conditions.ts';
import type { Connection } from './postgres-connection.ts';
import { type Pool, postgresPool } from './postgres-pool.ts';
import { connector, longPatience, patienceOf, settingsOf } from './postgres-servers.ts';

/** Any fixed number. All processes of one database take the same lock. */
const MIGRATION_LOCK = 7_253_051_947;
/** How often a waiting process tries to take that lock, and how often it reports that it waits. */
const LOCK = { everyMs: 200, sayEveryMs: 30_000 };
const ATTEMPTS = 5;
/** Connections reserved for look-ups and signatures. */
const SPARED = 4;

const names = new Map<string, string>();

/** Each SQL text is prepared once per connection, under its own name. */
function nameOf(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `s${names.size}`;
    names.set(sql, name);
  }
  return name;
}

type Use = Pool['use'];

/** `told`: converts an error of a statement for the caller. */
function conn(use: Use, told = explained): Conn {
  const query = async (sql: string, parameters: readonly unknown[]) => {
    let asked = false;
    try {
      return await use((connection) => {
        asked = true;
        return connection.query({ name: nameOf(sql), text: sql, values: parameters as unknown[] });
      });
    } catch (error) {
      throw asked ? told(error) : explained(error);
    }
  };
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
async function inTransaction<T>(connection: Connection, work: (conn: Conn) => Promise<T>): Promise<T> {
  let value: T;
  try {
    await connection.query('BEGIN');
    value = await work(conn((ask) => ask(connection)));
  } catch (error) {
    if (!connection.broken) await connection.query('ROLLBACK').catch((broken: Error) => connection.destroy(broken));
    throw explained(error);
  }
  await connection.query('COMMIT').catch((error) => {
    throw ofCommit(error);
  });
  return value;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Polls the lock. A single statement that waits for the lock might wait on a connection that no longer answers. */
async function takeLock(connection: Connection, waiting: () => void): Promise<void> {
  for (let waited = 0; ; waited += LOCK.everyMs) {
    const { rows } = await connection.query({
      text: 'SELECT pg_try_advisory_lock($1) AS taken',
      values: [MIGRATION_LOCK],
    });
    if (rows[0].taken) return;
    if (waited % LOCK.sayEveryMs === 0) waiting();
    await pause(LOCK.everyMs);
  }
}

/** `anyServer`: a read-only server is acceptable too. */
export type PostgresOptions = StatementLimits & { poolSize: number; anyServer?: boolean };

/** PostgreSQL 14 or newer. The isolation level is READ COMMITTED: state changes are compare-and-set, so no stronger level is needed. */
export function openPostgres(url: string, options: PostgresOptions): EngineDriver {
  const { poolSize, anyServer = false, statementMs, longStatementMs } = options;
  const [usual, long] = [patienceOf(statementMs), longPatience(longStatementMs)];
  const pool = postgresPool(connector(url, usual, anyServer), poolSize, usual.answer);
  const turn = limitConcurrency(Math.max(1, poolSize - SPARED), {
    ms: usual.answer,
    late: () => new Busy('too many transactions wait for the database'),
  });

  async function transaction<T>(work: (conn: Conn) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await turn(() => pool.use((connection) => inTransaction(connection, work)));
      } catch (error) {
        if (!isRetryable(error)) throw explained(error);
        if (attempt === ATTEMPTS) throw inTheWay(error);
      }
    }
  }

  /**
   * For work of any length: no other process holds the lock meanwhile. If a connection cannot release the lock, it is closed, which
   * releases it.
   */
  const underLock: EngineDriver['underLock'] = (work, waiting) =>
    pool.use(async (connection) => {
      connection.answerMs = long.answer;
      try {
        await connection.query(settingsOf(long));
        await takeLock(connection, waiting);
        return await work((part) => inTransaction(connection, part));
      } catch (error) {
        throw explained(error);
      } finally {
        connection.answerMs = usual.answer;
        if (!connection.broken)
          await connection
            .query(`SELECT pg_advisory_unlock(${MIGRATION_LOCK}); ${settingsOf(usual)}`)
            .catch((broken: Error) => connection.destroy(broken));
      }
    });

  const reader = conn(pool.use);
  const writing = conn(pool.use, ofCommit);
  return {
    engine: 'postgres',
    reader,
    transaction,
    write: async (work) => work(writing),
    exclusively: (work) =>
      underLock(
        (transaction) => transaction(work),
        () => {},
      ),
    underLock,
    identity: () => postgresIdentity(reader),
    load() {
      const { used, waiting } = pool.load();
      return { used, waiting: waiting + turn.waiting() };
    },
    interrupt: pool.interrupt,
    close: pool.close,
  };
}
