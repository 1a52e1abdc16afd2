import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely';
import type { Schema } from './schema.ts';

type Column<T extends keyof Schema> = keyof Schema[T] & string;

type Range<T extends keyof Schema> = {
  /** Columns that have one value, in the order of the index, without its first. */
  fixed: readonly (readonly [column: Column<T>, value: unknown])[];
  /** The index's last column, by which the range is ordered. */
  key: Column<T>;
  /** Exclusive. */
  above: unknown;
  /** Exclusive. */
  below: unknown;
  descending: boolean;
  limit: number;
};

/**
 * A page of the rows that an index holds side by side, in the order of its last column. Where another index has that order too, a
 * query planner may read it instead and drop what does not match, which is nearly everything if the value is rare. So it gets the
 * whole index's order and bounds, `(name, id) > ('a', 7) … ORDER BY name, id`, which no other index has.
 */
export function inRange<T extends keyof Schema, O>(
  query: SelectQueryBuilder<Schema, T, O>,
  { fixed, key, above, below, descending, limit }: Range<T>,
): SelectQueryBuilder<Schema, T, O> {
  const names = fixed.map(([column]) => column);
  const values = fixed.map(([, value]) => value);
  let page = query;
  for (const [edge, operator] of [
    [above, '>'],
    [below, '<'],
  ] as const)
    if (edge !== undefined) page = page.where(compared<T>([...names, key], operator, [...values, edge]));
    else if (names.length > 0) page = page.where(compared<T>(names, `${operator}=`, values));
  for (const column of [...names, key]) page = page.orderBy(column as never, descending ? 'desc' : 'asc');
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
