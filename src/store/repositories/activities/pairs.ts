import type { SelectQueryBuilder } from 'kysely';
import { type ActivityStatus, STATUSES } from '../../../model/activity.ts';
import { type Column, type EngineName, sought } from '../../columns.ts';
import { inRange } from '../../ranges.ts';
import type { Builder, Schema } from '../../schema.ts';
import { type Conn, written } from '../../statement.ts';
import { activities } from '../../tables/activities.ts';

/** Each range pairs a status with the type at the same index. */
export type Among = { statuses: readonly ActivityStatus[]; types: readonly string[] };

/** The ranges of an index. Without statuses: all of its rows. */
type Ranges = { statuses?: readonly ActivityStatus[] | undefined; types: readonly string[] };

/** Both bounds are exclusive ids. `backwards`: the oldest rows of the range, and not the newest. */
export type Bounds = { above: string; below: string; backwards: true | undefined; limit: number };

/** An index that ends in status, type and the activity's id. `first`: its other columns. */
type Index = { table: 'activities' | 'audit_subjects'; key: string; first: readonly string[] };

export type PairFilter = { statuses?: readonly ActivityStatus[] | undefined; types?: readonly string[] | undefined };

type Fixed = readonly [string, unknown];
type Ids = SelectQueryBuilder<Schema, 'activities', { id: string }>;

const idsOf = (db: Builder, { table, key }: Index): Ids =>
  db.selectFrom(table).select((key === 'id' ? 'id' : `${key} as id`) as never) as unknown as Ids;

/** SQLite merges plain ranges: it reads one entry of each range, and then as many entries as the page has. */
function onSqlite(db: Builder, index: Index, { above, below }: Bounds, fixed: readonly Fixed[]): Ids {
  let ids = idsOf(db, index);
  for (const [column, value] of fixed) ids = ids.where(column as 'status', '=', value as never);
  return ids.where(index.key as 'id', '>', above).where(index.key as 'id', '<', below);
}

function onPostgres(db: Builder, index: Index, { above, below, backwards, limit }: Bounds, fixed: readonly Fixed[]): Ids {
  const [[, org], ...rest] = fixed as readonly [Fixed, ...Fixed[]];
  const page = inRange(idsOf(db, index).where('organization_id', '=', org as string), {
    fixed: rest as never,
    key: index.key as 'id',
    above,
    below,
    descending: backwards === undefined,
    limit,
  });
  return db.selectFrom(page.as('range')).select('range.id') as unknown as Ids;
}

/** A page of ids of an index. Each range is in the order of the index, and the engine merges the ranges. */
export function idsAmong(db: Builder, engine: EngineName, index: Index, p: Ranges & Bounds, first: readonly unknown[]) {
  const range = engine === 'sqlite' ? onSqlite : onPostgres;
  const begin = index.first.map((column, i): Fixed => [column, first[i]]);
  const fixed = p.statuses?.map((status, i): Fixed[] => [
    ['status', status],
    ['type', p.types[i]],
  ]);
  const ranges = (fixed ?? [[]]).map((one) => range(db, index, p, [...begin, ...one]));
  const merged = db.selectFrom(ranges.reduce((all, one) => all.unionAll(one)).as('ranges')).select('ranges.id');
  return merged.orderBy('ranges.id', p.backwards === undefined ? 'desc' : 'asc').limit(p.limit);
}

const { status } = activities.model;

/** Finds the types among the rows of one status. It reads one entry of the index for each type. */
export function typesIn({ table, first }: Index, columns: readonly Column<unknown>[]) {
  const given = [...columns.map(sought), status] as Column<unknown>[];
  const sql = (slot: (i: number) => string): string => {
    const of = [...first, 'status'].map((column, i) => `${column} = ${slot(i)}`).join(' AND ');
    return `
WITH RECURSIVE found(type) AS (
  SELECT min(type) FROM ${table} WHERE ${of}
  UNION ALL SELECT (SELECT min(type) FROM ${table} WHERE ${of} AND type > found.type) FROM found WHERE found.type IS NOT NULL
)
SELECT type FROM found WHERE type IS NOT NULL`;
  };
  const sqlite = written<{ type: string }>('sqlite')(
    sql(() => '?'),
    ...given,
    ...given,
  );
  const postgres = written<{ type: string }>('postgres')(
    sql((i) => `$${i + 1}`),
    ...given,
  );
  return async (conn: Conn, values: readonly unknown[], asked: ActivityStatus): Promise<string[]> => {
    const args = [...values, asked];
    const rows =
      conn.engine === 'sqlite' ? await sqlite.all(conn, [...args, ...args] as never) : await postgres.all(conn, args as never);
    return rows.map(({ type }) => type);
  };
}

/** Maximum number of ranges in one statement. SQLite takes 500. */
const MOST_RANGES = 128;

/** A type that no activity has. */
const NO_TYPE = '';

type Pair = { status: ActivityStatus; type: string };

/** Pads the number of ranges to a power of two, so that there are few different statements. */
function padded(pairs: readonly Pair[]): Among {
  const missing = 2 ** Math.ceil(Math.log2(pairs.length)) - pairs.length;
  const all = [...pairs, ...Array.from({ length: missing }, () => ({ status: pairs[0]!.status, type: NO_TYPE }))];
  return { statuses: all.map(({ status }) => status), types: all.map(({ type }) => type) };
}

/** The ranges of the index that a filter needs, in groups that fit one statement. `typesOf`: the types of a status. */
export async function rangesOf(
  { statuses, types }: PairFilter,
  typesOf: (status: ActivityStatus) => Promise<readonly string[]>,
): Promise<Among[]> {
  const pairs: Pair[] = [];
  for (const status of statuses ?? STATUSES) for (const type of types ?? (await typesOf(status))) pairs.push({ status, type });
  const ranges: Among[] = [];
  for (let i = 0; i < pairs.length; i += MOST_RANGES) ranges.push(padded(pairs.slice(i, i + MOST_RANGES)));
  return ranges;
}
