import type { Expression, ExpressionBuilder, ReferenceExpression, SelectQueryBuilder, SqlBool } from 'kysely';
import type { EngineName } from './columns.ts';
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
 * A page of the rows that an index holds side by side, in the order of its last column. Where another index has that order too,
 * PostgreSQL may read it instead and drop what does not match, which is nearly everything if a value is rarer than it expects.
 * So it gets the whole index's order and bounds, which no other index has.
 */
export function inRange<T extends keyof Schema, O>(
  query: SelectQueryBuilder<Schema, T, O>,
  engine: EngineName,
  { fixed, key, above, below, descending, limit }: Range<T>,
): SelectQueryBuilder<Schema, T, O> {
  const direction = descending ? 'desc' : 'asc';
  const ref = (column: string) => column as unknown as ReferenceExpression<Schema, T>;
  if (engine === 'sqlite' || fixed.length === 0) {
    let page = query;
    for (const [column, value] of fixed) page = page.where(ref(column), '=', value as never);
    if (above !== undefined) page = page.where(ref(key), '>', above as never);
    if (below !== undefined) page = page.where(ref(key), '<', below as never);
    return page.orderBy(key as never, direction).limit(limit);
  }
  const columns = fixed.map(([column]) => column);
  const values = fixed.map(([, value]) => value);
  const bound = (operator: '>' | '<', edge: unknown) => (e: ExpressionBuilder<Schema, T>) =>
    edge === undefined ? tuples(e, columns, `${operator}=`, values) : tuples(e, [...columns, key], operator, [...values, edge]);
  let page = query.where(bound('>', above)).where(bound('<', below));
  for (const column of [...columns, key]) page = page.orderBy(column as never, direction);
  return page.limit(limit);
}

/** `(a, b) > (1, 2)` */
function tuples<T extends keyof Schema>(
  e: ExpressionBuilder<Schema, T>,
  columns: readonly string[],
  operator: '>' | '<' | '>=' | '<=',
  values: readonly unknown[],
): Expression<SqlBool> {
  // biome-ignore lint/suspicious/noExplicitAny: the builder types tuples of fixed lengths only
  const any = e as any;
  if (columns.length === 1) return any(columns[0], operator, values[0]);
  return any(any.refTuple(...columns), operator, any.tuple(...values));
}
