import { type Column, type EngineName, SQL_TYPES } from './columns.ts';

type Placed = { position?: number | undefined };

const column: Column<number> = {
  // The alias of SQLite's rowid, so it needs no index of its own.
  sqlite: { type: 'integer' },
  postgres: { type: SQL_TYPES.postgres.int },
};

/**
 * The place of a row in the order of writing, which activities and audit rows share.
 * - On SQLite the writer counts.
 * - On PostgreSQL it is the transaction's number, by the default of the column. Rows of one transaction share it, and all rows below
 *   the oldest running transaction are visible.
 */
export const position = { column, from: (row: object) => (row as Placed).position as number };

/** The columns of an INSERT, including the position if the program sets it. */
export function numbered<R extends { position: unknown }>(engine: EngineName, row: R): R {
  if (engine === 'sqlite') return row;
  const { position: byDefault, ...rest } = row;
  return rest as R;
}

type Numbering = { nextPosition?(): number };

export const placed = <T extends object>(conn: Numbering, row: T): T & Placed => ({ ...row, position: conn.nextPosition?.() });
