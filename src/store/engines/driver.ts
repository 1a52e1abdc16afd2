import type { EngineName } from '../columns.ts';
import type { Conn } from '../statement.ts';

/** What differs between the two engines, and nothing else. */
export type EngineDriver = {
  readonly engine: EngineName;
  /** Sees durable rows only. */
  readonly reader: Conn;
  /**
   * Runs `work` as one transaction; resolves after the durable commit. If `work` throws, nothing of it stays.
   * `work` may await the connection and `breathe`, and nothing else. It may run again after a serialization failure.
   */
  transaction<T>(work: (conn: Conn) => Promise<T>): Promise<T>;
  /**
   * One guarded write that needs no savepoint: `work` either changes nothing or cannot fail half-way.
   * A failure of the disk fails every member of the group.
   */
  write<T>(work: (conn: Conn) => T | Promise<T>): Promise<T>;
  /** Alone among all processes of this database, for migrations and the first start. */
  exclusively<T>(work: (conn: Conn) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};
