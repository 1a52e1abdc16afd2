import { sql } from 'kysely';
import type { EngineName } from '../columns.ts';
import type { Builder } from '../schema.ts';
import type { Columns, Migration } from './migration.ts';

/** How the rows of a new table follow from old tables: an expression for each column. */
type Copy = { columns: Readonly<Record<string, string>>; from: string };

const same = (alias: string, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `${alias}.${name}`]));

/** The submitter's vote of activity `a` is its first. Before positions were kept, all votes had 0, and ids tell which it is. */
const FIRST = `votes v ON v.organization_id = a.organization_id AND v.activity_id = a.id AND v.position = 0 AND NOT EXISTS (
  SELECT 1 FROM votes earlier WHERE earlier.organization_id = v.organization_id AND earlier.activity_id = v.activity_id
  AND earlier.position = 0 AND earlier.id < v.id)`;

const EVALUATED =
  'LEFT JOIN evaluations e ON e.organization_id = v.organization_id AND e.activity_id = v.activity_id AND e.vote_id = v.id';

const EVALUATIONS = `CASE WHEN e.id IS NULL THEN NULL ELSE '{"id":"' || e.id || '","evaluations":' || e.evaluations || '}' END`;

/** Keeps the order of writing on SQLite: an activity stands before the audit rows about it. Later positions are above these. */
const POSITION: Record<EngineName, (alias: string, among: 0 | 1) => string> = {
  sqlite: (alias, among) => `2 * ${alias}.rowid + ${among}`,
  postgres: () => '0',
};

const OF_ACTIVITY = ['organization_id', 'id', 'fingerprint', 'type', 'status', 'body', 'result', 'failure', 'version'];
const OF_STAMP = ['user_id', 'user_version', 'credential_id', 'scheme', 'public_key', 'signature'];

const activities = (engine: EngineName): Copy => ({
  columns: {
    ...same('a', OF_ACTIVITY),
    vote_id: 'v.id',
    ...same('v', OF_STAMP),
    facts_version: '0',
    ...same('a', ['created_at', 'updated_at']),
    evaluations: EVALUATIONS,
    position: POSITION[engine]('a', 0),
  },
  from: `activities a LEFT JOIN ${FIRST} ${EVALUATED}`,
});

/** What remains of votes. Those without a position were cast in the order of their ids. */
const votes: Copy = {
  columns: {
    ...same('v', ['organization_id', 'activity_id', 'id', ...OF_STAMP, 'selection', 'message', 'created_at']),
    position: `CASE WHEN v.position > 0 THEN v.position ELSE (
      SELECT COUNT(*) FROM votes earlier WHERE earlier.organization_id = v.organization_id AND earlier.activity_id = v.activity_id
      AND earlier.position = 0 AND earlier.id < v.id) END`,
    evaluations: EVALUATIONS,
  },
  from: `votes v ${EVALUATED} WHERE v.position > 0 OR EXISTS (
    SELECT 1 FROM votes earlier WHERE earlier.organization_id = v.organization_id AND earlier.activity_id = v.activity_id
    AND earlier.position = 0 AND earlier.id < v.id)`,
};

/** Without what an activity's own row says: what the submitter's request came to at once. */
const audit = (engine: EngineName): Copy => ({
  columns: {
    ...same('u', ['organization_id', 'id', 'activity_id', 'event', 'actor_organization_id', 'actor_user_id', 'credential_id']),
    created_at: 'u.created_at',
    position: POSITION[engine]('u', 1),
  },
  from: `audit u WHERE u.event NOT IN ('activity.completed', 'activity.failed', 'activity.consensus_needed', 'activity.updated')
    OR NOT EXISTS (SELECT 1 FROM activities a JOIN ${FIRST}
      WHERE a.organization_id = u.organization_id AND a.id = u.activity_id
      AND a.created_at = u.created_at AND v.user_id = u.actor_user_id)`,
});

const filled = (db: Builder, table: string, { columns, from }: Copy) =>
  db
    .insertInto(table as 'activities')
    .columns(Object.keys(columns) as 'id'[])
    .expression(sql.raw(`SELECT ${Object.values(columns).join(', ')} FROM ${from}`));

/** A table with a position: on SQLite the primary key of its rows, on PostgreSQL the transaction's number. */
function numberedTable(db: Builder, name: string, { int }: Columns, engine: EngineName) {
  const table = db.schema.createTable(name);
  if (engine === 'sqlite') return table.addColumn('position', 'integer', (c) => c.primaryKey());
  return table.addColumn('position', int, (c) => c.notNull().defaultTo(sql.raw('(pg_current_xact_id()::text::bigint)')));
}

export const oneRow: Migration = {
  version: 7,
  name: 'one-row',
  up(db, column, engine) {
    const { text, int, bytes } = column;
    const unique = (name: string, on: string, columns: string[]) => db.schema.createIndex(name).unique().on(on).columns(columns);
    const key = (name: string, on: string, columns: string[]) =>
      engine === 'sqlite' ? unique(name, on, columns) : db.schema.alterTable(on).addPrimaryKeyConstraint(name, columns as never);
    const index = (on: string, columns: string[]) =>
      db.schema
        .createIndex(`${on}_by_${columns.slice(1).join('_') || columns[0]}`)
        .on(on)
        .columns(columns);
    return [
      numberedTable(db, 'new_activities', column, engine)
        .addColumn('organization_id', text, (c) => c.notNull())
        .addColumn('id', text, (c) => c.notNull())
        .addColumn('fingerprint', text, (c) => c.notNull())
        .addColumn('type', text, (c) => c.notNull())
        .addColumn('status', text, (c) => c.notNull())
        .addColumn('version', int, (c) => c.notNull())
        .addColumn('created_at', int, (c) => c.notNull())
        .addColumn('updated_at', int, (c) => c.notNull())
        .addColumn('facts_version', int, (c) => c.notNull())
        .addColumn('facts_after', int)
        .addColumn('vote_id', text, (c) => c.notNull())
        .addColumn('user_id', text, (c) => c.notNull())
        .addColumn('user_version', int, (c) => c.notNull())
        .addColumn('credential_id', text, (c) => c.notNull())
        .addColumn('scheme', text, (c) => c.notNull())
        .addColumn('public_key', text, (c) => c.notNull())
        .addColumn('signature', text, (c) => c.notNull())
        .addColumn('result', text, (c) => c.notNull())
        .addColumn('failure', text, (c) => c.notNull())
        .addColumn('evaluations', text)
        .addColumn('body', bytes, (c) => c.notNull()),
      db.schema
        .createTable('new_votes')
        .addColumn('organization_id', text, (c) => c.notNull())
        .addColumn('activity_id', text, (c) => c.notNull())
        .addColumn('id', text, (c) => c.notNull())
        .addColumn('user_id', text, (c) => c.notNull())
        .addColumn('user_version', int, (c) => c.notNull())
        .addColumn('position', int, (c) => c.notNull())
        .addColumn('credential_id', text, (c) => c.notNull())
        .addColumn('selection', text, (c) => c.notNull())
        .addColumn('scheme', text, (c) => c.notNull())
        .addColumn('public_key', text, (c) => c.notNull())
        .addColumn('signature', text, (c) => c.notNull())
        .addColumn('created_at', int, (c) => c.notNull())
        .addColumn('evaluations', text)
        .addColumn('message', bytes),
      numberedTable(db, 'new_audit', column, engine)
        .addColumn('organization_id', text, (c) => c.notNull())
        .addColumn('id', text, (c) => c.notNull())
        .addColumn('activity_id', text, (c) => c.notNull())
        .addColumn('event', text, (c) => c.notNull())
        .addColumn('actor_organization_id', text, (c) => c.notNull())
        .addColumn('actor_user_id', text, (c) => c.notNull())
        .addColumn('credential_id', text, (c) => c.notNull())
        .addColumn('created_at', int, (c) => c.notNull()),
      filled(db, 'new_activities', activities(engine)),
      filled(db, 'new_votes', votes),
      filled(db, 'new_audit', audit(engine)),
      ...['activities', 'votes', 'audit', 'evaluations'].map((table) => db.schema.dropTable(table)),
      ...['activities', 'votes', 'audit'].map((table) => db.schema.alterTable(`new_${table}`).renameTo(table)),
      key('activities_key', 'activities', ['organization_id', 'id']),
      unique('activities_fingerprint', 'activities', ['organization_id', 'fingerprint']),
      index('activities', ['organization_id', 'status', 'type', 'id']),
      // A user votes once at each version of an activity.
      key('votes_key', 'votes', ['organization_id', 'activity_id', 'user_id', 'position']),
      key('audit_key', 'audit', ['organization_id', 'id']),
      ...(engine === 'postgres' ? ['activities', 'audit'].map((table) => index(table, ['position'])) : []),
    ];
  },
};
