import type { Busy } from '../../base/errors.ts';
import type { EngineName } from '../columns.ts';
import type { Conn } from '../statement.ts';

/** Looks through the database's file, beside everything else. */
export type QuickCheck = {
  /** Of the file, when it was opened. */
  readonly bytes: number;
  /** Resolves with what is wrong, or with an empty text. From then on `damage` says it too. */
  run(signal: AbortSignal): Promise<string>;
};

/** Everything that differs between the two engines. */
export type EngineDriver = {
  readonly engine: EngineName;
  /** Sees durable rows only. */
  readonly reader: Conn;
  /**
   * Runs `work` as one transaction; resolves after the durable commit. If `work` throws, nothing is written.
   * `work` may await only the connection and `breathe`. It may run again after a serialization failure. `patienceMs`: so long it may wait for
   * others to share a commit with.
   */
  transaction<T>(work: (conn: Conn) => Promise<T>, patienceMs?: number): Promise<T>;
  /**
   * One guarded write, a statement, that needs no savepoint: `work` either changes nothing or cannot fail part-way.
   * A disk failure fails every member of the group.
   */
  write<T>(work: (conn: Conn) => T | Promise<T>): Promise<T>;
  /** Runs under an exclusive lock across all processes of this database, for migrations and the first start. */
  exclusively<T>(work: (conn: Conn) => Promise<T>): Promise<T>;
  /** Like `exclusively`, for work of several transactions. `waiting`: called if another process holds the lock. */
  underLock<T>(
    work: (transaction: <R>(work: (conn: Conn) => Promise<R>) => Promise<R>) => Promise<T>,
    waiting: () => void,
  ): Promise<T>;
  /** SQLite: why the database must not be relied on. Undefined: nothing was met. */
  damage?(): Busy | undefined;
  readonly quickCheck?: QuickCheck;
  /** Whatever waits for a database on another machine ends now with an error. */
  interrupt(): void;
  close(): Promise<void>;
};
