/** Databases that released versions left, for tests to work on. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { engineName, freshDatabase, keptSql } from '../support/database.ts';
import type { Frozen } from './frozen.ts';

export const versions = readdirSync(import.meta.dirname, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path));
export const unzipped = (...path: string[]) => gunzipSync(read(...path));

async function restoreRows(version: string, at: { folder: string; url: string }): Promise<void> {
  const { raw, close } = keptSql(at);
  try {
    await raw(read(version, 'schema.postgres.sql').toString());
    const all = unzipped(version, 'postgres/rows.json.gz').toString();
    // The database takes it apart: JavaScript would round large numbers.
    for (const { key, rows } of await raw('SELECT key, value::text AS rows FROM json_each($1::json)', all)) {
      await raw(`DELETE FROM "${key}"`);
      await raw(`INSERT INTO "${key}" SELECT * FROM json_populate_recordset(NULL::"${key}", $1::json)`, rows);
    }
  } finally {
    await close();
  }
}

export const factsOf = (version: string): Frozen => JSON.parse(unzipped(version, engineName, 'facts.json.gz').toString());

export type Copy = { folder: string; env: Record<string, string>; remove(): Promise<void> };

/** A copy of the database that `version` left on the engine of this run, with its root key. */
export async function copyOf(version: string): Promise<Copy> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-released-'));
  const database = await freshDatabase();
  async function remove(): Promise<void> {
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
  try {
    writeFileSync(join(folder, 'root.key'), read(version, engineName, 'root.key'), { mode: 0o600 });
    if (database === undefined) writeFileSync(join(folder, 'countersign.db'), unzipped(version, 'sqlite/countersign.db.gz'));
    else await restoreRows(version, { folder, url: database.url });
    return { folder, env: { DATA_DIR: folder, ...(database && { DATABASE_URL: database.url }) }, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
