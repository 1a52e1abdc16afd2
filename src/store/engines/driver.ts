import type { Busy } from '../../base/errors.ts';
import type { EngineName } from '../columns.ts';
import type { Identity } from '../identity.ts';
import type { Conn } from '../statement.ts';

/** Checks the database's file while everything else continues. */
export type QuickCheck = {
  /** The size of the file when it was opened. */
  readonly bytes: number;
  /** Resolves with the damage that was found, or with an empty text. From then on `damage` reports it too. */
  run(signal: AbortSignal): Promise<string>;
};

/** Everything that differs between the two engines. */
export type EngineDriver = {
  readonly engine: EngineName;
  /** Sees durable rows only. */
  readonly reader: Conn;
  /**
   * Runs `work` as one transaction, and resolves after the durable commit. If `work` throws, nothing is written. `work` may await only
   * the connection and `yieldThread`. It may run again after a serialization failure, or if another one fails that shares its
   * commit. `patienceMs`: how long the transaction may wait to share a commit.
   */
  transaction<T>(work: (conn: Conn) => Promise<T>, patienceMs?: number): Promise<T>;
  /**
   * One guarded write, a statement, that needs no savepoint: `work` either changes nothing or cannot fail part-way. A disk failure
   * fails every write of the group.
   */
  write<T>(work: (conn: Conn) => T | Promise<T>): Promise<T>;
  /** Runs under an exclusive lock across all processes of this database, for migrations and the first start. */
  exclusively<T>(work: (conn: Conn) => Promise<T>): Promise<T>;
  /** Like `exclusively`, for work in several transactions. `waiting` is called if another process holds the lock. */
  underLock<T>(
    work: (transaction: <R>(work: (conn: Conn) => Promise<R>) => Promise<R>) => Promise<T>,
    waiting: () => void,
  ): Promise<T>;
  /** Which database this is, once it has its tables. */
  identity(): Promise<Identity>;
  /** SQLite: why the database must not be relied on. Undefined: no damage was found. */
  damage?(): Busy | undefined;
  readonly quickCheck?: QuickCheck;
  /** PostgreSQL: connections in use, and calls that wait for one or for their turn. */
  load?(): { used: number; waiting: number };
  /** All calls that wait for a database on another machine fail immediately. */
  interrupt(): void;
  close(): Promise<void>;
};
