/** Databases that released versions left, for tests to work on. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { engineName, freshDatabase, plainSql } from '../support/database.ts';
import type { Frozen } from './frozen.ts';

export const versions = readdirSync(import.meta.dirname, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path));
export const unzipped = (...path: string[]) => gunzipSync(read(...path));

async function restoreRows(version: string, at: { folder: string; url: string }): Promise<void> {
  await plainSql(at, read(version, 'schema.postgres.sql').toString());
  const all = unzipped(version, 'postgres/rows.json.gz').toString();
  const [{ names }] = (await plainSql(at, 'SELECT array(SELECT json_object_keys($1::json)) AS names', [all])) as [
    { names: string[] },
  ];
  for (const name of names) {
    await plainSql(at, `DELETE FROM "${name}"`);
    await plainSql(at, `INSERT INTO "${name}" SELECT * FROM json_populate_recordset(NULL::"${name}", $1::json -> '${name}')`, [
      all,
    ]);
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
