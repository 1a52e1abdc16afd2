import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely';
import type { Schema } from './schema.ts';

type Column<T extends keyof Schema> = keyof Schema[T] & string;

type Range<T extends keyof Schema> = {
  /** Columns with one value each, in the order of the index. The index's first column is left out. */
  fixed: readonly (readonly [column: Column<T>, value: unknown])[];
  /** The index's last column, or columns. The range is ordered by them. */
  key: Column<T> | readonly Column<T>[];
  /** Exclusive. A list of values if the key has several columns. */
  above: unknown;
  /** Exclusive. */
  below: unknown;
  descending: boolean;
  limit: number;
};

/**
 * A page of rows that are adjacent in an index, in the order of its last column. A query planner may read another index that has this
 * order too, and drop all rows that do not match. For a rare value, nearly all rows are dropped. The query therefore has the order and
 * bounds of the whole index, `(name, id) > ('a', 7) … ORDER BY name, id`, which no other index has.
 */
export function inRange<T extends keyof Schema, O>(
  query: SelectQueryBuilder<Schema, T, O>,
  { fixed, key, above, below, descending, limit }: Range<T>,
): SelectQueryBuilder<Schema, T, O> {
  const names = fixed.map(([column]) => column);
  const values = fixed.map(([, value]) => value);
  const keys = [key].flat() as Column<T>[];
  let page = query;
  for (const [edge, operator] of [
    [above, '>'],
    [below, '<'],
  ] as const)
    if (edge !== undefined) page = page.where(compared<T>([...names, ...keys], operator, [...values, ...[edge].flat()]));
    else if (names.length > 0) page = page.where(compared<T>(names, `${operator}=`, values));
  for (const column of [...names, ...keys]) page = page.orderBy(column as never, descending ? 'desc' : 'asc');
  return page.limit(limit);
}

function compared<T extends keyof Schema>(
  columns: readonly string[],
  operator: '>' | '<' | '>=' | '<=',
  values: readonly unknown[],
) {
  return (e: ExpressionBuilder<Schema, T>) => {
    // biome-ignore lint/suspicious/noExplicitAny: the builder has types for tuples of fixed lengths only
    const any = e as any;
    return columns.length === 1
      ? any(columns[0], operator, values[0])
      : any(any.refTuple(...columns), operator, any.tuple(...values));
  };
}
