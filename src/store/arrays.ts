import { type AnyColumn, type Column, list } from './columns.ts';
import { type AnyTable, stored } from './table.ts';

/** Columns of a table whose values PostgreSQL receives as one array per column. `rest`: columns that are derived, set by the database, or null. */
export function arrays(table: AnyTable, rest: readonly string[]) {
  const members = stored(table).filter(({ name }) => !rest.includes(name));
  return {
    names: members.map(({ name }) => name),
    columns: members.map(({ column }): AnyColumn => list<unknown>(column as Column<unknown>)),
    of: (rows: readonly object[]): unknown[][] =>
      members.map(({ key, from }) =>
        rows.map((row) => (from === undefined ? (row as Record<string, unknown>)[key] : from(row)) ?? null),
      ),
  };
}
