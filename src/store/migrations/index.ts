import { builders } from '../builders.ts';
import { SQL_TYPES } from '../columns.ts';
import { type Conn, statement } from '../statement.ts';
import { type ModelOf, values } from '../table.ts';
import { migrations as migrationTable } from '../tables/instance.ts';
import { foundation } from './0001-foundation.ts';
import { authority } from './0002-authority.ts';
import { keys } from './0003-keys.ts';
import { voters } from './0004-voters.ts';
import { accountCounts } from './0005-account-counts.ts';
import { policyVersions } from './0006-policy-versions.ts';
import { oneRow } from './0007-one-row.ts';
import { clock } from './0008-clock.ts';
import { lists } from './0009-lists.ts';
import { archive } from './0011-archive.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [
  foundation,
  authority,
  keys,
  voters,
  accountCounts,
  policyVersions,
  oneRow,
  clock,
  lists,
  archive,
];

const record = statement((db, p: ModelOf<typeof migrationTable>) =>
  db.insertInto('migrations').values(values(migrationTable, p)),
);
const newest = statement((db) => db.selectFrom('migrations').select((e) => e.fn.max('version').as('version')));

/** The SQL of every step, for `schema.<engine>.sql`. */
export function statementsOf(migration: Migration, engine: Conn['engine']): string[] {
  return migration.up(builders[engine], SQL_TYPES[engine], engine).map((step) => step.compile().sql);
}

/** Brings the database to this program's schema. Call under the engine's exclusive lock. Refuses a newer schema. */
export async function migrate(conn: Conn, now: number): Promise<number> {
  const { text, int } = SQL_TYPES[conn.engine];
  const table = builders[conn.engine].schema
    .createTable('migrations')
    .ifNotExists()
    .addColumn('version', int, (c) => c.primaryKey())
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('applied_at', int, (c) => c.notNull());
  await conn.run(table.compile().sql, []);
  const current = Number((await newest.first(conn, {}))?.version ?? 0);
  const last = migrations.at(-1)!.version;
  if (current > last) {
    throw new Error(
      `the database has schema version ${current}, and this program knows versions up to ${last}: start the newer program that wrote it, or restore a backup made before it.`,
    );
  }
  for (const migration of migrations.filter((m) => m.version > current)) {
    for (const text of statementsOf(migration, conn.engine)) await conn.run(text, []);
    await record.run(conn, { version: migration.version, name: migration.name, appliedAt: now });
  }
  return last;
}

/** True once the database has this program's schema; for readiness. */
export async function isMigrated(conn: Conn): Promise<boolean> {
  return Number((await newest.first(conn, {}))?.version ?? 0) === migrations.at(-1)!.version;
}
