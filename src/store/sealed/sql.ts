import { snakeCase } from '../../base/names.ts';
import { type Column, type EngineName, text } from '../columns.ts';
import { type Written, written } from '../statement.ts';
import { HASH_PLACES, SEALED_PLACES, type SealedPlace } from './places.ts';

/** Rows that are looked at, and changed, in one transaction. */
export const AT_ONCE = 200;

type Args = readonly unknown[];

export type PlaceSql = { page: Written<Args, unknown>; replace: Written<Args, unknown> | undefined };

/** Values go in and out as they are stored. */
const asStored: Column<unknown> = text() as Column<unknown>;

const quoted = (name: string): string => `"${snakeCase(name)}"`;

/** Texts of both engines have ? for parameters. */
function made<R>(engine: EngineName, sql: string): Written<Args, R> {
  let count = 0;
  const numbered = engine === 'sqlite' ? sql : sql.replace(/\?/g, () => `$${++count}`);
  return written<R>(engine)(
    numbered,
    ...sql
      .replace(/[^?]/g, '')
      .split('')
      .map(() => asStored),
  ) as Written<Args, R>;
}

/** A page carries only values that may be sealed. */
const SEALED_VALUES = {
  sealed: (column: string) => `substr(${column}, 1, 5) = ?`,
  body: (column: string) => `substr(${column}, 1, 1) = ?`,
  text: (column: string) => `substr(${column}, 1, 7) = 'sealed:'`,
} as const;

function sqlOf(place: SealedPlace, engine: EngineName): PlaceSql {
  const { key, reads, table, column, archived } = place;
  const value = quoted(column);
  const keys = key.map(quoted).join(', ');
  const isSealed = SEALED_VALUES[table.model[column].holds as keyof typeof SEALED_VALUES](value);
  const named = [...key, ...reads].map((name) => `${quoted(name)} AS "${name}"`).join(', ');
  const page =
    `SELECT ${named}, CASE WHEN ${isSealed} THEN ${value} END AS found FROM "${table.name}" ` +
    `WHERE (${keys}) > (${key.map(() => '?').join(', ')}) ORDER BY ${keys} LIMIT ${AT_ONCE}`;
  const replace =
    `UPDATE "${table.name}" SET ${value} = ? ` +
    `WHERE ${key.map((name) => `${quoted(name)} = ?`).join(' AND ')} AND ${value} = ?`;
  const isReadOnly = archived && engine === 'sqlite';
  return { page: made(engine, page), replace: isReadOnly ? undefined : made(engine, replace) };
}

const forEngines = <K, V>(keys: readonly K[], of: (key: K, engine: EngineName) => V) => {
  const ofEngine = (engine: EngineName): ReadonlyMap<K, V> => new Map(keys.map((key) => [key, of(key, engine)]));
  return { sqlite: ofEngine('sqlite'), postgres: ofEngine('postgres') };
};

/** The statements of each place. */
export const PLACE_SQL = forEngines(SEALED_PLACES, sqlOf);

/** When the last keyed hash under a version expires. */
export const HASHES = forEngines(HASH_PLACES, ({ table, column, expires }, engine) =>
  made<{ last: unknown }>(
    engine,
    `SELECT "${expires}" AS last FROM "${table.name}" WHERE substr("${column}", 1, 5) = ? AND "${expires}" > ? ` +
      `ORDER BY "${expires}" DESC LIMIT 1`,
  ),
);
