import { migrations, statementsOf } from '../../src/store/migrations/index.ts';
import { engineName, plainSql } from '../support/database.ts';
import { NOW, type Opened, openEmpty } from './fixture.ts';

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

/** A row of any table of an older database, where ids are texts. */
export async function insertRow(opened: Opened, table: string, row: Record<string, unknown>): Promise<void> {
  const names = Object.keys(row);
  const places = names.map((_, i) => `$${i + 1}`);
  await plainSql(opened, `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`, Object.values(row));
}
