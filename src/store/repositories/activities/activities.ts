import type { SelectQueryBuilder } from 'kysely';
import { type Activity, type ActivityStatus, STATUSES } from '../../../model/activity.ts';
import { type EngineName, sought } from '../../columns.ts';
import type { Page } from '../../page.ts';
import { numbered, placed } from '../../position.ts';
import { inRange } from '../../ranges.ts';
import type { Builder, Schema } from '../../schema.ts';
import { type Conn, dynamic, statement, written } from '../../statement.ts';
import { values } from '../../table.ts';
import { activities, type Evaluated, type WithEvaluations } from '../../tables/activities.ts';
import { archiveReads, orArchived } from './archived.ts';
import { voteReads, voteWrites } from './votes.ts';

/** Archive tables have the same columns. */
const getFrom = (table: 'activities' | 'archived_activities') =>
  statement((db, p: { org: string; id: string }) =>
    db
      .selectFrom(table as 'activities')
      .select(activities.all)
      .where('organization_id', '=', p.org)
      .where('id', '=', p.id),
  );
const get = getFrom('activities');
const getArchived = getFrom('archived_activities');
const byFingerprint = statement((db, p: { org: string; fingerprint: string }) =>
  db
    .selectFrom('activities')
    .select(activities.all)
    .where('organization_id', '=', p.org)
    .where('fingerprint', '=', p.fingerprint),
);
const insertOn = (engine: EngineName) =>
  statement(
    (db, p: WithEvaluations<Activity>) =>
      db
        .insertInto('activities')
        .values(numbered(engine, values(activities, p)))
        .onConflict((c) => c.columns(['organization_id', 'fingerprint']).doNothing()),
    engine,
  );
export const insertActivity = { sqlite: insertOn('sqlite'), postgres: insertOn('postgres') };
type Change = ActivityOutcome & { org: string; id: string; seen: number; factsAfter: number | null; now: number };

const update = statement((db, p: Change) =>
  db
    .updateTable('activities')
    .set((e) => ({
      status: p.status,
      result: p.result,
      failure: p.failure,
      facts_version: p.factsVersion,
      facts_after: p.factsAfter,
      version: e('version', '+', 1),
      updated_at: p.now,
    }))
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id)
    .where('version', '=', p.seen),
);

const ascends = ({ after, before }: Omit<Page, 'limit'>): boolean => before !== undefined && after === undefined;

/** Each range pairs a status with the type at the same index. Without statuses: all activities. */
type Among = { statuses: readonly ActivityStatus[] | undefined; types: readonly string[] };

type Ranges = Among & {
  org: string;
  after: string | undefined;
  before: string | undefined;
  limit: number;
};

type Ids = SelectQueryBuilder<Schema, 'activities', { id: string }>;

const idsOf = (db: Builder, p: Ranges): Ids => db.selectFrom('activities').select('id').where('organization_id', '=', p.org);

/** SQLite merges plain ranges: it reads one entry of each range, and then as many entries as the page has. */
function rangeOnSqlite(db: Builder, p: Ranges, fixed: readonly Fixed[]): Ids {
  let ids = idsOf(db, p);
  for (const [column, value] of fixed) ids = ids.where(column, '=', value as never);
  return edge(ids, p);
}

/** Adds the bound at which the page begins. */
function edge(ids: Ids, { after, before }: Ranges): Ids {
  if (after !== undefined) return ids.where('id', '<', after);
  return before === undefined ? ids : ids.where('id', '>', before);
}

function rangeOnPostgres(db: Builder, p: Ranges, fixed: readonly Fixed[]): Ids {
  const { after: below, before: above, limit } = p;
  const page = inRange(idsOf(db, p), { fixed, key: 'id', above, below, descending: !ascends(p), limit });
  return db.selectFrom(page.as('range')).select('range.id') as unknown as Ids;
}

type Fixed = readonly ['status' | 'type', string];

/** Each range is in the order of an index, and the engine merges the ranges. Bodies are read for the page alone. */
const listed = dynamic({ statuses: true, after: true, before: true }, (db, p: Ranges, engine) => {
  const range = engine === 'sqlite' ? rangeOnSqlite : rangeOnPostgres;
  const { statuses, types } = p;
  const fixed = statuses?.map((status, i): Fixed[] => [
    ['status', status],
    ['type', types[i]!],
  ]);
  const ranges = (fixed ?? [[]]).map((one) => range(db, p, one));
  const merged = db.selectFrom(ranges.reduce((all, one) => all.unionAll(one)).as('ranges')).select('ranges.id');
  const page = merged.orderBy('ranges.id', ascends(p) ? 'asc' : 'desc').limit(p.limit);
  const found = db.selectFrom('activities').select(activities.all).where('organization_id', '=', p.org).where('id', 'in', page);
  // If the page has a second bound, entries beyond it are dropped.
  return p.after === undefined || p.before === undefined ? found : found.where('id', '>', p.before);
});

const organizationId = sought(activities.model.organizationId);
const { status } = activities.model;

/** The types among activities of one status. It reads one entry of the index for each type. */
const typesAmong = (org: string, asked: string): string => {
  const ofStatus = `organization_id = ${org} AND status = ${asked}`;
  return `
WITH RECURSIVE found(type) AS (
  SELECT min(type) FROM activities WHERE ${ofStatus}
  UNION ALL SELECT (SELECT min(type) FROM activities WHERE ${ofStatus} AND type > found.type) FROM found WHERE found.type IS NOT NULL
)
SELECT type FROM found WHERE type IS NOT NULL`;
};
const typesOnSqlite = written<{ type: string }>('sqlite')(typesAmong('?', '?'), organizationId, status, organizationId, status);
const typesOnPostgres = written<{ type: string }>('postgres')(typesAmong('$1', '$2'), organizationId, status);

async function typesOf(conn: Conn, org: string, asked: ActivityStatus): Promise<string[]> {
  const rows =
    conn.engine === 'sqlite'
      ? await typesOnSqlite.all(conn, [org, asked, org, asked])
      : await typesOnPostgres.all(conn, [org, asked]);
  return rows.map(({ type }) => type);
}

/** Maximum number of ranges in one statement. SQLite takes 500. */
const MOST_RANGES = 128;

/** A type that no activity has. */
const NO_TYPE = '';

type Pair = { status: ActivityStatus; type: string };

/** Pads the number of ranges to a power of two, so that there are few different statements. */
function padded(pairs: readonly Pair[]): Among {
  const missing = 2 ** Math.ceil(Math.log2(pairs.length)) - pairs.length;
  const all = [...pairs, ...Array.from({ length: missing }, () => ({ status: pairs[0]!.status, type: NO_TYPE }))];
  return { statuses: all.map(({ status }) => status), types: all.map(({ type }) => type) };
}

/** The ranges of the index that a filter needs, in groups that fit one statement. */
async function rangesOf(conn: Conn, org: string, { statuses, types }: ActivityFilter): Promise<Among[]> {
  if (statuses === undefined && types === undefined) return [{ statuses, types: [] }];
  const pairs: Pair[] = [];
  for (const status of statuses ?? STATUSES)
    for (const type of types ?? (await typesOf(conn, org, status))) pairs.push({ status, type });
  const ranges: Among[] = [];
  for (let i = 0; i < pairs.length; i += MOST_RANGES) ranges.push(padded(pairs.slice(i, i + MOST_RANGES)));
  return ranges;
}

/** The activity with the body's fingerprint, if it is not archived. */
export const presentByFingerprint = (conn: Conn, org: string, fingerprint: string): Promise<Activity | undefined> =>
  byFingerprint.first(conn, { org, fingerprint });

export type ActivityFilter = { statuses?: readonly ActivityStatus[] | undefined; types?: readonly string[] | undefined };

/** Archived activities are found by id and by fingerprint, with their votes. Lists leave them out. */
export const activityReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<Activity | undefined> {
    return orArchived(conn, get.first(conn, { org, id }), (archive) => getArchived.first(archive, { org, id }));
  },
  async byFingerprint(org: string, fingerprint: string): Promise<Activity | undefined> {
    const found = await presentByFingerprint(conn, org, fingerprint);
    if (found !== undefined) return found;
    const id = await archiveReads(conn).idOf(org, fingerprint);
    return id === undefined ? undefined : activityReads(conn).get(org, id);
  },
  ...voteReads(conn),
  /**
   * Newest first. `after` continues behind an id; `before` returns the page in front of an id. Each pair of status and type is one
   * index range. So a rare status is as cheap as a common one.
   */
  async list(org: string, filter: ActivityFilter, page: Page): Promise<Activity[]> {
    const found: Activity[] = [];
    const { after, before, limit } = page;
    for (const among of await rangesOf(conn, org, filter))
      found.push(...(await listed.all(conn, { org, ...among, after, before, limit })));
    found.sort((a, b) => (a.id < b.id ? 1 : -1));
    return ascends(page) ? found.slice(-limit) : found.slice(0, limit);
  },
});

export type ActivityOutcome = Pick<Activity, 'status' | 'result' | 'failure' | 'factsVersion'>;

export const activityWrites = (conn: Conn) => ({
  ...voteWrites(conn),
  /** Inserts the activity with the submitter's vote. False if the organization has an activity with this fingerprint. */
  async insert(activity: Activity, evaluations?: Evaluated): Promise<boolean> {
    return (await insertActivity[conn.engine].run(conn, placed(conn, { ...activity, evaluations }))) === 1;
  },
  /**
   * Compare-and-set on the version that the caller read. False if another write came first. The transaction fills in `changedFacts`:
   * whether it has changed facts of the organization. If so, the facts get the next version.
   */
  async finish(seen: Activity, outcome: ActivityOutcome, now: number, changedFacts = false): Promise<boolean> {
    const { status, result, failure, factsVersion } = outcome;
    const changed = await update.run(conn, {
      org: seen.organizationId,
      id: seen.id,
      seen: seen.version,
      status,
      result,
      failure,
      factsVersion,
      factsAfter: changedFacts ? factsVersion + 1 : null,
      now,
    });
    return changed === 1;
  },
});
