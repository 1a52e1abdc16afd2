import { type Activity, type ActivityStatus, STATUSES } from '../../model/activity.ts';
import { type EngineName, sought } from '../columns.ts';
import type { Page } from '../page.ts';
import { numbered, placed } from '../position.ts';
import { type Conn, dynamic, statement, written } from '../statement.ts';
import { values } from '../table.ts';
import { activities, type Evaluated, type WithEvaluations } from '../tables/activities.ts';
import { archiveReads, orArchived } from './archived.ts';
import { voteReads, voteWrites } from './votes.ts';

/** Archived rows have the columns of the others. */
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

type Range = {
  org: string;
  among: { status: ActivityStatus; type: string } | undefined;
  after: string | undefined;
  before: string | undefined;
  limit: number;
};

const range = dynamic({ among: true, after: true, before: true }, (db, p: Range) => {
  let query = db.selectFrom('activities').select(activities.all).where('organization_id', '=', p.org);
  if (p.among !== undefined) query = query.where('status', '=', p.among.status).where('type', '=', p.among.type);
  if (p.after !== undefined) query = query.where('id', '<', p.after);
  if (p.before !== undefined) query = query.where('id', '>', p.before);
  return query.orderBy('id', ascends(p) ? 'asc' : 'desc').limit(p.limit);
});

const organizationId = sought(activities.model.organizationId);
const { status } = activities.model;

/** The types among activities of one status, one entry of the index for each. */
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

/** The activity of a body, if it is not archived. */
export const presentByFingerprint = (conn: Conn, org: string, fingerprint: string): Promise<Activity | undefined> =>
  byFingerprint.first(conn, { org, fingerprint });

export type ActivityFilter = { statuses?: readonly string[] | undefined; types?: readonly string[] | undefined };

/** Archived activities are found by id and by fingerprint, with their votes; lists leave them out. */
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
   * Newest first; `after` continues behind an id, `before` returns the page in front of an id. Filters run one index
   * range per (status, type) and merge them, so a rare status needs no scan over the others.
   */
  async list(org: string, { statuses, types }: ActivityFilter, page: Page): Promise<Activity[]> {
    const ascending = ascends(page);
    const { after, before, limit } = page;
    const ranges: Range['among'][] = [];
    if (statuses === undefined && types === undefined) ranges.push(undefined);
    else
      for (const status of (statuses ?? STATUSES) as readonly ActivityStatus[])
        for (const type of types ?? (await typesOf(conn, org, status))) ranges.push({ status, type });
    const pages: Activity[][] = [];
    for (const among of ranges) pages.push(await range.all(conn, { org, among, after, before, limit }));
    const merged = pages.flat();
    if (pages.length > 1) merged.sort((a, b) => (a.id < b.id ? -1 : 1) * (ascending ? 1 : -1));
    const newest = merged.slice(0, limit);
    return ascending ? newest.reverse() : newest;
  },
});

export type ActivityOutcome = Pick<Activity, 'status' | 'result' | 'failure' | 'factsVersion'>;

export const activityWrites = (conn: Conn) => ({
  ...voteWrites(conn),
  /** With the submitter's vote. False if the organization has an activity with this fingerprint. */
  async insert(activity: Activity, evaluations?: Evaluated): Promise<boolean> {
    return (await insertActivity[conn.engine].run(conn, placed(conn, { ...activity, evaluations }))) === 1;
  },
  /**
   * Compare-and-set on the version that the caller saw; false if another write was first. `changedFacts` is filled in by the
   * transaction: whether it has changed facts of the organization, which then get the next version.
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
