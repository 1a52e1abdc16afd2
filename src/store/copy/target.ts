import type { Conn } from '../statement.ts';
import type { CopiedTable } from './columns.ts';

/** An empty database that a copy is loaded into, in one transaction. */
export type Target = {
  readonly conn: Conn;
  /** The columns of each table that the migrations have made so far, including the archive's. */
  tables(): Promise<Map<string, ReadonlySet<string>>>;
  /** Inserts rows in their stored form. */
  insert(table: CopiedTable, rows: readonly (readonly unknown[])[]): Promise<void>;
  /** The next number that a counting table gives out is higher. */
  setLastNumber(table: string, number: number): Promise<void>;
};

type Column = { table_name: string; column_name: string };

/** The columns of all tables, from rows of both names. */
export function byTable(rows: readonly unknown[]): Map<string, ReadonlySet<string>> {
  const all = new Map<string, Set<string>>();
  for (const { table_name, column_name } of rows as Column[])
    all.set(table_name, (all.get(table_name) ?? new Set()).add(column_name));
  return all;
}
