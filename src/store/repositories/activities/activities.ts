import { firstIdOf } from '../../../base/id-time.ts';
import type { Activity } from '../../../model/activity.ts';
import { rowsByIds } from '../../by-ids.ts';
import type { Column, EngineName } from '../../columns.ts';
import type { Page } from '../../page.ts';
import { numbered, placed } from '../../position.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { activities, type Evaluated, type WithEvaluations } from '../../tables/activities.ts';
import { archiveReads, orArchived } from './archived.ts';
import { type Among, type Bounds, idsAmong, type PairFilter, rangesOf, typesIn } from './pairs.ts';
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

const INDEX = { table: 'activities', key: 'id', first: ['organization_id'] } as const;

type Listed = Omit<Among, 'statuses'> & { statuses: Among['statuses'] | undefined } & Bounds & { org: string };

/** Bodies are read for the page alone. */
const pageOf = dynamic({ statuses: true, backwards: true }, (db, p: Listed, engine) =>
  db
    .selectFrom('activities')
    .select(activities.all)
    .where('organization_id', '=', p.org)
    .where('id', 'in', idsAmong(db, engine, INDEX, p, [p.org])),
);
const byIds = rowsByIds(activities);

const typesOf = typesIn(INDEX, [activities.model.organizationId as Column<unknown>]);

/** The activity with the body's fingerprint, if it is not archived. */
export const presentByFingerprint = (conn: Conn, org: string, fingerprint: string): Promise<Activity | undefined> =>
  byFingerprint.first(conn, { org, fingerprint });

/** The times are those of ids, which are made right after `createdAt`. `from` is inclusive, `until` is not. */
export type Times = { from?: number | undefined; until?: number | undefined };

export type ActivityFilter = PairFilter & Times;

const BEHIND_ALL = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The range of ids of a page, newest first. With only `before`, it is the page in front of that id. */
export function boundsOf({ from = 0, until }: Times, { after, before, limit }: Page): Bounds {
  const [first, last] = [firstIdOf(from), until === undefined ? BEHIND_ALL : firstIdOf(until)];
  return {
    above: before !== undefined && before > first ? before : first,
    below: after !== undefined && after < last ? after : last,
    backwards: before !== undefined && after === undefined ? true : undefined,
    limit,
  };
}

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
    const bounds = boundsOf(filter, page);
    const isAll = filter.statuses === undefined && filter.types === undefined;
    const ranges = isAll
      ? [{ statuses: undefined, types: [] }]
      : await rangesOf(filter, (status) => typesOf(conn, [org], status));
    for (const among of ranges) found.push(...(await pageOf.all(conn, { org, ...among, ...bounds })));
    found.sort((a, b) => (a.id < b.id ? 1 : -1));
    return bounds.backwards ? found.slice(-page.limit) : found.slice(0, page.limit);
  },
  /** The activities with these ids, archived ones included, in the order of the ids. An id whose archive is elsewhere is left out. */
  async byIds(org: string, ids: readonly string[]): Promise<Activity[]> {
    const found = new Map((await byIds(conn, org, ids)).map((one) => [one.id, one]));
    const all: Activity[] = [];
    for (const id of ids) {
      const one = found.get(id) ?? (conn.archive && (await getArchived.first(conn.archive, { org, id })));
      if (one !== undefined) all.push(one);
    }
    return all;
  },
});

export type ActivityOutcome = Pick<Activity, 'status' | 'result' | 'failure' | 'factsVersion'>;

const afterFacts = ({ factsVersion }: ActivityOutcome, changedFacts: boolean): number | null =>
  changedFacts ? factsVersion + 1 : null;

export const activityWrites = (conn: Conn) => ({
  ...voteWrites(conn),
  /**
   * Inserts the activity with the submitter's vote. False if the organization has an activity with this fingerprint. The transaction fills
   * in `changedFacts`: whether it has changed facts of the organization. If so, the facts get the next version.
   */
  async insert(activity: Activity, evaluations?: Evaluated, changedFacts = false): Promise<boolean> {
    const factsAfter = afterFacts(activity, changedFacts);
    return (await insertActivity[conn.engine].run(conn, placed(conn, { ...activity, evaluations, factsAfter }))) === 1;
  },
  /** Compare-and-set on the version that the caller read. False if another write came first. `changedFacts`: as for `insert`. */
  async finish(seen: Activity, outcome: ActivityOutcome, now: number, changedFacts = false): Promise<boolean> {
    const { status, result, failure, factsVersion } = outcome;
    const factsAfter = afterFacts(outcome, changedFacts);
    const changed = await update.run(conn, {
      org: seen.organizationId,
      id: seen.id,
      seen: seen.version,
      status,
      result,
      failure,
      factsVersion,
      factsAfter,
      now,
    });
    return changed === 1;
  },
});
