import type { EngineName } from '../../columns.ts';
import { bytes, type Definition, id, table } from './define.ts';

const only =
  (engine: EngineName, statements: readonly string[]): Definition =>
  (given) =>
    given === engine ? statements : [];

/**
 * A table in partitions, by the month of the id in one of its columns. A partition can be detached, and a look-up by id reads one
 * partition. On SQLite the archived rows are in a separate file: see `src/store/archive/file.ts`.
 */
const byMonth = (table: string, id: string, key: string): Definition =>
  only('postgres', [
    `create table "archived_${table}" (like "${table}") partition by range ("${id}")`,
    `alter table "archived_${table}" add constraint "archived_${table}_key" primary key (${key})`,
  ]);

const fingerprints = table('archived_fingerprints', { organization_id: id, fingerprint: bytes, id }, [
  'organization_id',
  'fingerprint',
]);

export const archived: readonly Definition[] = [
  (engine) => fingerprints(engine).map((sql) => (engine === 'sqlite' ? `${sql} without rowid` : sql)),
  byMonth('activities', 'id', '"organization_id", "id"'),
  byMonth('votes', 'activity_id', '"organization_id", "activity_id", "user_id", "position"'),
  byMonth('audit', 'activity_id', '"organization_id", "activity_id", "id"'),
  byMonth('sends', 'id', '"organization_id", "id"'),
  byMonth('send_attempts', 'send_id', '"organization_id", "send_id", "number"'),
  only('postgres', ['create index "archived_sends_by_activity_id" on "archived_sends" ("organization_id", "activity_id", "id")']),
];
