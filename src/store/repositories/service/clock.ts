import { checkKnown } from '../../migrations/known.ts';
import { type Conn, written } from '../../statement.ts';
import { clock } from '../../tables/clock.ts';
import { QUARANTINE } from './instance.ts';

/**
 * - `now`: the database's clock. Undefined on SQLite, which has only the machine's clock.
 * - `since`: milliseconds of the database's clock since `reached` was written. Undefined on SQLite.
 * - `schema`: the newest migration. PostgreSQL only, because there a newer program may migrate the database meanwhile.
 * - `quarantine`: the text of its row. All processes learn of a change when they renew their time.
 */
export type StoredClock = {
  resets: number;
  reached: number;
  quarantine: string | null;
  since?: number;
  now?: number;
  schema?: number;
};

const { reached, resets } = clock.model;

/** PostgreSQL's clock in milliseconds. */
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const SCHEMA = '(SELECT max(version) FROM migrations)';
const COPIED = `(SELECT value FROM instance WHERE key = '${QUARANTINE}') AS quarantine`;
const ROW = {
  sqlite: `resets, reached, ${COPIED}`,
  postgres: `resets, reached, ${COPIED}, ${NOW} AS now, ${NOW} - stamped AS since, ${SCHEMA} AS schema`,
};

const get = {
  sqlite: written<StoredClock>('sqlite')(`SELECT ${ROW.sqlite} FROM clock WHERE id = 1`),
  postgres: written<StoredClock>('postgres')(`SELECT ${ROW.postgres} FROM clock WHERE id = 1`),
};

const raise = {
  sqlite: written<StoredClock>('sqlite')(
    `UPDATE clock SET reached = max(reached, CASE WHEN resets = ? THEN ? ELSE 0 END) WHERE id = 1 RETURNING ${ROW.sqlite}`,
    resets,
    reached,
  ),
  postgres: written<StoredClock>('postgres')(
    `UPDATE clock SET reached = $2, stamped = ${NOW} WHERE id = 1 AND resets = $1 AND reached < $2 AND reached >= $3 RETURNING ${ROW.postgres}`,
    resets,
    reached,
    reached,
  ),
};

const reset = {
  sqlite: written<StoredClock>('sqlite')(
    `UPDATE clock SET reached = ?, resets = resets + 1 WHERE id = 1 RETURNING ${ROW.sqlite}`,
    reached,
  ),
  postgres: written<StoredClock>('postgres')(
    `UPDATE clock SET reached = $1, resets = resets + 1, stamped = ${NOW} WHERE id = 1 RETURNING ${ROW.postgres}`,
    reached,
  ),
};

/** Throws Outdated if the row names a newer schema. */
async function one(found: Promise<StoredClock[]>): Promise<StoredClock> {
  const [row] = await found;
  if (row === undefined) throw new Error('the table "clock" has no row: restore a backup');
  if (row.schema !== undefined) checkKnown(row.schema);
  return row;
}

export const clockReads = (conn: Conn) => ({
  /** Throws Outdated if a newer program has migrated the database, or has begun to. */
  get: (): Promise<StoredClock> => one(get[conn.engine].all(conn, [])),
});

export const clockWrites = (conn: Conn) => ({
  /**
   * Raises the stored time, unless it is later already, or was taken back since. Returns the stored values. Throws Outdated if a newer
   * program has migrated the database. Without a stored time that covers its writes, this process makes none.
   *
   * `known`: the latest stored time that this process has seen. A database of PostgreSQL with an earlier one lacks what was written since,
   * and is left as it is.
   */
  async raise(seenResets: number, time: number, known = 0): Promise<StoredClock> {
    if (conn.engine === 'sqlite') return one(raise.sqlite.all(conn, [seenResets, time]));
    const raised = await raise.postgres.all(conn, [seenResets, time, known]);
    return one(raised.length > 0 ? Promise.resolve(raised) : get.postgres.all(conn, []));
  },
  /** Sets the time back. */
  reset: (time: number): Promise<StoredClock> => one(reset[conn.engine].all(conn, [time])),
});
