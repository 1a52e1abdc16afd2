import { readFileSync } from 'node:fs';
import { migrations, statementsOf } from '../../../src/store/migrations/index.ts';
import { engineName, plainSql } from '../../support/database.ts';
import { NOW, type Opened, openEmpty } from '../fixture.ts';

/** A database as a program left it whose schema had this version. `store` is today's: it migrates when it is told to. */
export async function openOlder(version: number): Promise<Opened> {
  const opened = await openEmpty();
  await opened.raw('CREATE TABLE migrations (version bigint PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL)');
  for (const migration of migrations.filter((m) => m.version <= version)) {
    for (const text of statementsOf(migration, engineName)) await opened.raw(text);
    const { name } = migration;
    await opened.raw('INSERT INTO migrations (version, name, applied_at) VALUES ($1, $2, $3)', migration.version, name, NOW);
  }
  return opened;
}

type Row = Record<string, unknown>;

/** Rows of an older database, where ids are texts. */
export async function insertRows(opened: Opened, table: string, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const names = Object.keys(rows[0]!);
  const AT_ONCE = 50;
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    const marks = some.map((_, i) => `(${names.map((_, j) => `$${i * names.length + j + 1}`).join(', ')})`);
    const values = some.flatMap((row) => names.map((name) => row[name]));
    await plainSql(opened, `INSERT INTO ${table} (${names.join(', ')}) VALUES ${marks.join(', ')}`, values);
  }
}

export const insertRow = (opened: Opened, table: string, row: Row): Promise<void> => insertRows(opened, table, [row]);

/** What `make.ts` wrote. */
export type Older = {
  files: Record<string, string>;
  root: { publicKey: string; privateKey: string };
  signers: string[];
  repeated: { path: string; body: string; id: string };
  tables: Record<string, Row[]>;
  answers: { keys: { publicKey: string; privateKey: string }; query: string; parameters: object; answer: unknown }[];
};

const inBytes = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Buffer.from((value as { bytes: string }).bytes, 'base64') : value;

/** The database that the program of commit dd0fd37 made, with each kind of row. */
export async function openVersion4(): Promise<{ opened: Opened; older: Older }> {
  const older = JSON.parse(readFileSync(new URL('version-4.json', import.meta.url), 'utf8')) as Older;
  const opened = await openOlder(4);
  for (const [table, rows] of Object.entries(older.tables)) {
    if (table === 'migrations') continue;
    const given = rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, inBytes(value)])));
    await insertRows(opened, table, given);
  }
  return { opened, older };
}
