import { type AnyColumn, type EngineName, int } from '../columns.ts';
import type { EngineDriver } from '../engines/driver.ts';
import { type Conn, written } from '../statement.ts';
import { HASH_PLACES, type SealedName, type SealedPlace } from './places.ts';
import { headerOf, sealedIn, versionOf, withSealed } from './sealed-format.ts';
import { AT_ONCE, HASHES, PLACE_SQL, type PlaceSql } from './sql.ts';

/** A secret that is sealed under a certain version. `key` and `value`: as stored. */
export type SealedRow = { key: readonly unknown[]; value: Buffer | string; name: SealedName; sealed: Buffer };

export type SealedPage = { rows: SealedRow[]; after: readonly unknown[] | undefined };

/** The stored secrets under a version of the master key, for their rotation. */
export type SealedRows = {
  /** The secrets under a version among the next rows in the order of their key. Undefined: the archive is not here. */
  page(place: SealedPlace, version: number, after: readonly unknown[] | undefined): Promise<SealedPage | undefined>;
  /** Replaces secrets that are still what was read, in one transaction. Returns their number. */
  replace(place: SealedPlace, rows: readonly (SealedRow & { anew: Buffer })[]): Promise<number>;
  /** When the last keyed hash under a version expires; undefined if none is valid at `now`. */
  hashesUntil(version: number, now: number): Promise<number | undefined>;
};

const columnOf = ({ table }: SealedPlace, name: string): AnyColumn => table.model[name];

const sqlOf = (place: SealedPlace, engine: EngineName): PlaceSql => PLACE_SQL[engine].get(place)!;

/** Before every key. No row has the nil id, or an empty name. */
const FIRST: Readonly<Record<string, unknown>> = {
  text: '',
  blob: Buffer.alloc(0),
  bytea: Buffer.alloc(0),
  uuid: '00000000-0000-0000-0000-000000000000',
};

const firstOf = (place: SealedPlace, engine: EngineName): unknown[] =>
  place.key.map((name) => FIRST[columnOf(place, name)[engine].type]);

async function page(conn: Conn, place: SealedPlace, version: number, after: readonly unknown[] | undefined): Promise<SealedPage> {
  const { engine } = conn;
  const { holds } = columnOf(place, place.column);
  const from = after ?? firstOf(place, engine);
  const marks = holds === 'sealed' ? [headerOf(version)] : holds === 'body' ? [Buffer.of(1)] : [];
  const found = (await sqlOf(place, engine).page.all(conn, [...marks, ...from])) as Record<string, unknown>[];
  const keyOf = (row: Record<string, unknown>) => place.key.map((name) => row[name]);
  const rows = found.flatMap((row) => {
    const value = row.found as Buffer | string | null;
    const sealed = value === null ? undefined : sealedIn(holds!, value);
    if (value === null || sealed === undefined || versionOf(sealed) !== version) return [];
    const named = [...place.key, ...place.reads].map((name) => {
      const { read } = columnOf(place, name)[engine];
      return [name, read === undefined ? row[name] : read(row[name])];
    });
    return [{ key: keyOf(row), value, name: place.name(Object.fromEntries(named)), sealed }];
  });
  return { rows, after: found.length < AT_ONCE ? undefined : keyOf(found.at(-1)!) };
}

async function replaceOne(conn: Conn, place: SealedPlace, { key, value, anew }: SealedRow & { anew: Buffer }): Promise<number> {
  const next = withSealed(columnOf(place, place.column).holds!, value, anew);
  const changed = await sqlOf(place, conn.engine).replace!.run(conn, [next, ...key, value]);
  if (changed > 0) conn.noteSealed?.(versionOf(anew));
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
  for (const place of HASH_PLACES) {
    const [row] = await HASHES[conn.engine].get(place)!.all(conn, [headerOf(version, 2), now]);
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

export const sealedRows = ({ reader, engine }: Pick<EngineDriver, 'reader' | 'engine'>, transact: Transact): SealedRows => ({
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
