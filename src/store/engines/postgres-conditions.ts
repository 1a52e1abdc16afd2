import pg from 'pg';
import { Busy, NoSpace, Uncertain } from '../../base/errors.ts';

const LOST = 'the connection to the database was lost';
const ELSEWHERE = 'the database accepts no writes now';

/**
 * Transient conditions, by SQLSTATE, its class, or a socket's code. The same call may succeed later, so the answer is 503 with the
 * reason.
 */
const PASSING: readonly [codes: RegExp, reason: string][] = [
  [/^08/, LOST],
  [/^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/, LOST],
  // read_only_sql_transaction: the server was demoted.
  [/^25006$/, ELSEWHERE],
  // Time-outs of an idle and of a long transaction.
  [/^25P0[34]$/, 'a transaction took too long'],
  [/^53/, 'the database server has too many connections or too little memory'],
  // The database accepts no connections, is in use, or did not grant a lock in time.
  [/^55(000|006|P03)$/, 'the database is not available now, or another transaction holds a lock for too long'],
  [/^57014$/, 'a statement took too long, or was cancelled'],
  [/^57/, 'the database server is stopping or starting'],
  [/^58(000|030)$/, 'the disk of the database server failed'],
];

const DISK_FULL = '53100';

/**
 * serialization_failure, deadlock_detected, and unique_violation. The last: another transaction took a name after it was found free. A
 * retry sees the name as taken.
 */
const RETRYABLE = new Set(['40001', '40P01', '23505']);

/** Messages of the driver itself. They have no code. */
const DRIVER_LOST = /^(Connection terminated|Client has encountered a connection error|Client was closed)/;

const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? '');

export const isRetryable = (error: unknown): boolean => error instanceof pg.DatabaseError && RETRYABLE.has(codeOf(error));

/** The server ends the session with this error. The connection closes a little later, and no other statement may use it until then. */
export const endsSession = (error: unknown): boolean => /^(57P0|25P03)/.test(codeOf(error));

/** The server is read-only; another server may accept writes. */
export const isElsewhere = (error: unknown): boolean => codeOf(error) === '25006';

export const readOnly = (): Error => Object.assign(new Error(ELSEWHERE), { code: '25006' });

/** Explains transient conditions. Other errors are returned unchanged. */
export function explained(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Busy) return error;
  const code = codeOf(error);
  if (code === DISK_FULL) return new NoSpace('the database server has no space left', { cause: error });
  const reason = DRIVER_LOST.test(error.message) ? LOST : PASSING.find(([codes]) => codes.test(code))?.[1];
  return reason === undefined ? error : new Busy(reason, { cause: error });
}

/** For the error of a transaction after its last retry. */
export const inTheWay = (error: unknown): unknown =>
  /^40/.test(codeOf(error)) ? new Busy('other transactions conflicted', { cause: error as Error }) : error;

/** The commit is on this server alone: its wait for the standby was cancelled. */
export class Unconfirmed extends Error {
  constructor() {
    super('the wait for the standby was cancelled before it confirmed a write');
  }
}

/** For the error of a commit. Only the server itself can say that the write was not made. */
export function ofCommit(error: unknown): unknown {
  if (error instanceof Unconfirmed) return new Uncertain(error.message);
  const isRefused = error instanceof pg.DatabaseError && !/^(08|57P)/.test(codeOf(error));
  if (isRefused) return explained(error);
  return new Uncertain('the connection to the database was lost before a write was confirmed', { cause: error });
}
