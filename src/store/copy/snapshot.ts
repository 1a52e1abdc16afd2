import type { Conn } from '../statement.ts';
import type { CopiedRow, CopiedTable } from './columns.ts';

/** Reads one state of a whole database, archive included, while others write. Memory use does not grow with the tables. */
export type Snapshot = {
  /** For single rows of that state. Not during `rows`. */
  readonly conn: Conn;
  /** In the order of positions, if the table has one. `newest`: the last rows of that order, newest first. */
  rows(table: CopiedTable, newest?: number): AsyncIterable<CopiedRow>;
  /** The last number that the database gave out, for a table that counts its rows. */
  lastNumber(table: string): Promise<number>;
  /** SQLite: activities were archived, but the file of the archive is missing. */
  readonly lacksArchive: boolean;
  close(): Promise<void>;
};
