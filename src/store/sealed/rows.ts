import { snakeCase } from '../../base/names.ts';
import { type AnyColumn, type Holds, int } from '../columns.ts';
import type { EngineDriver } from '../engines/driver.ts';
import { type Conn, written } from '../statement.ts';
import { headerOf, sealedIn, versionOf, withSealed } from './forms.ts';
import { HASH_PLACES, type SealedName, type SealedPlace } from './places.ts';

/** Rows that are looked at, and changed, in one transaction. */
const AT_ONCE = 200;

/** A secret that is sealed under a certain version. `key` and `value`: as stored. */
export type SealedRow = { key: readonly unknown[]; value: Buffer | string; name: SealedName; sealed: Buffer };

export type SealedPage = { rows: SealedRow[]; seen: number; after: readonly unknown[] | undefined };

/** The stored secrets under a version of the master key, for their rotation. */
export type SealedRows = {
  /** The secrets under a version among the next rows in the order of their key. Undefined: the archive is not here. */
  page(place: SealedPlace, version: number, after: readonly unknown[] | undefined): Promise<SealedPage | undefined>;
  /** Replaces secrets that are still what was read, in one transaction. Returns their number. */
  replace(place: SealedPlace, rows: readonly (SealedRow & { anew: Buffer })[]): Promise<number>;
  /** When the last keyed hash under a version expires; undefined if none is valid at `now`. */
  hashesUntil(version: number, now: number): Promise<number | undefined>;
};

const quoted = (name: string): string => `"${snakeCase(name)}"`;

/** Parameters of both engines. */
const slots = (conn: Conn) => {
  let count = 0;
  return () => (conn.engine === 'sqlite' ? '?' : `$${++count}`);
};

const columnOf = ({ table }: SealedPlace, name: string): AnyColumn => table.model[name];

/** The first byte, or the first characters, of a value that may be sealed. A page does not carry the others. */
const mayBeSealed = (holds: Holds, column: string): string =>
  holds === 'text' ? `substr(${column}, 1, 7) = 'sealed:'` : `${column} IS NOT NULL`;

async function page(conn: Conn, place: SealedPlace, version: number, after: readonly unknown[] | undefined): Promise<SealedPage> {
  const slot = slots(conn);
  const holds = columnOf(place, place.column).holds!;
  const key = place.key.map(quoted);
  const value = quoted(place.column);
  const names = [...place.key, ...place.reads];
  const filter =
    holds === 'sealed'
      ? `substr(${value}, 1, 5) = ${slot()}`
      : holds === 'body'
        ? `substr(${value}, 1, 1) = ${slot()}`
        : mayBeSealed(holds, value);
  const parameters: unknown[] = holds === 'sealed' ? [headerOf(version)] : holds === 'body' ? [Buffer.of(1)] : [];
  const beyond = after === undefined ? '' : ` WHERE (${key.join(', ')}) > (${after.map(slot).join(', ')})`;
  const sql =
    `SELECT ${names.map((name) => quoted(name)).join(', ')}, CASE WHEN ${filter} THEN ${value} END AS found ` +
    `FROM "${place.table.name}"${beyond} ORDER BY ${key.join(', ')} LIMIT ${AT_ONCE}`;
  const found = (await conn.all(sql, [...parameters, ...(after ?? [])])) as Record<string, unknown>[];
  const keyOf = (row: Record<string, unknown>) => place.key.map((name) => row[snakeCase(name)]);
  const rows = found.flatMap((row) => {
    const stored = row.found as Buffer | string | null;
    const sealed = stored === null ? undefined : sealedIn(holds, stored);
    if (stored === null || sealed === undefined || versionOf(sealed) !== version) return [];
    const read = (name: string) => {
      const form = columnOf(place, name)[conn.engine];
      return [name, form.read?.(row[snakeCase(name)]) ?? row[snakeCase(name)]];
    };
    return [{ key: keyOf(row), value: stored, name: place.name(Object.fromEntries(names.map(read))), sealed }];
  });
  const last = found.at(-1);
  return { rows, seen: found.length, after: last === undefined || found.length < AT_ONCE ? undefined : keyOf(last) };
}

async function replaceOne(conn: Conn, place: SealedPlace, row: SealedRow & { anew: Buffer }): Promise<number> {
  const slot = slots(conn);
  const value = quoted(place.column);
  const anew = withSealed(columnOf(place, place.column).holds!, row.value, row.anew);
  const sql =
    `UPDATE "${place.table.name}" SET ${value} = ${slot()} ` +
    `WHERE ${place.key.map((name) => `${quoted(name)} = ${slot()}`).join(' AND ')} AND ${value} = ${slot()}`;
  const changed = await conn.run(sql, [anew, ...row.key, row.value]);
  if (changed > 0) conn.noteSealed?.(versionOf(row.anew));
  return changed;
}

const SEALS = "SELECT version FROM master_keys WHERE state = 'live' AND version = ";
const sealsOnSqlite = written<{ version: number }>('sqlite')(`${SEALS}?`, int());
// A change of the state waits for transactions that sealed under the version, and later ones see the change.
const sealsOnPostgres = written<{ version: number }>('postgres')(`${SEALS}$1 FOR SHARE`, int());

/** Whether new secrets may be stored under a version. */
export async function maySeal(conn: Conn, version: number): Promise<boolean> {
  const rows = await (conn.engine === 'sqlite' ? sealsOnSqlite : sealsOnPostgres).all(conn, [version]);
  return rows.length > 0;
}

async function hashesUntil(conn: Conn, version: number, now: number): Promise<number | undefined> {
  let last = 0;
  for (const { table, column, expires } of HASH_PLACES) {
    const slot = slots(conn);
    const sql = `SELECT max("${expires}") AS last FROM "${table.name}" WHERE substr("${column}", 1, 5) = ${slot()} AND "${expires}" > ${slot()}`;
    const [row] = (await conn.all(sql, [headerOf(version, 2), now])) as { last: unknown }[];
    last = Math.max(last, Number(row?.last ?? 0));
  }
  return last === 0 ? undefined : last;
}

type Transact = <T>(work: (conn: Conn) => Promise<T>) => Promise<T>;

export const sealedReads = (reader: Conn): Pick<SealedRows, 'page' | 'hashesUntil'> => ({
  async page(place, version, after) {
    const conn = place.archived ? reader.archive : reader;
    return conn === undefined ? undefined : page(conn, place, version, after);
  },
  hashesUntil: (version, now) => hashesUntil(reader, version, now),
});

export const sealedRows = ({ reader, engine }: EngineDriver, transact: Transact): SealedRows => ({
  ...sealedReads(reader),
  async replace(place, rows) {
    // SQLite's archive is a file that the service only reads.
    if (place.archived && engine === 'sqlite') return 0;
    return transact(async (conn) => {
      let changed = 0;
      for (const row of rows) changed += await replaceOne(conn, place, row);
      return changed;
    });
  },
});
