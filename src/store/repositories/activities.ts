import type { SelectQueryBuilder } from 'kysely';
import type { Activity, ActivityStatus, Failure, Vote } from '../../model/activity.ts';
import { inLists } from '../lists.ts';
import type { Page } from '../page.ts';
import { inRange } from '../ranges.ts';
import type { Builder, Schema } from '../schema.ts';
import { type Conn, dynamic, statement } from '../statement.ts';
import { values } from '../table.ts';
import { activities, votes } from '../tables/activities.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('activities').select(activities.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const byFingerprint = statement((db, p: { org: string; fingerprint: string }) =>
  db
    .selectFrom('activities')
    .select(activities.all)
    .where('organization_id', '=', p.org)
    .where('fingerprint', '=', p.fingerprint),
);
const votesFor = statement((db, p: { org: string; activity: string }) =>
  db
    .selectFrom('votes')
    .select(votes.all)
    .where('organization_id', '=', p.org)
    .where('activity_id', '=', p.activity)
    .orderBy('id'),
);

/** Sorted here, because votes are few and the index returns them by id. */
const inOrder = (cast: Vote[]): Vote[] => cast.sort((a, b) => a.position - b.position);
export const insertActivity = statement((db, p: Activity) =>
  db
    .insertInto('activities')
    .values(values(activities, p))
    .onConflict((c) => c.columns(['organization_id', 'fingerprint']).doNothing()),
);
export const insertVote = statement((db, p: Vote) => db.insertInto('votes').values(values(votes, p)));
const update = statement(
  (
    db,
    p: { org: string; id: string; seen: number; status: ActivityStatus; result: string; failure: Failure | null; now: number },
  ) =>
    db
      .updateTable('activities')
      .set((e) => ({ status: p.status, result: p.result, failure: p.failure, version: e('version', '+', 1), updated_at: p.now }))
      .where('organization_id', '=', p.org)
      .where('id', '=', p.id)
      .where('version', '=', p.seen),
);

const votesOf = dynamic({}, (db, p: { org: string; ids: readonly string[] }) =>
  db
    .selectFrom('votes')
    .select(votes.all)
    .where('organization_id', '=', p.org)
    .where('activity_id', 'in', p.ids)
    .orderBy('activity_id')
    .orderBy('id'),
);

const ascends = ({ after, before }: Omit<Page, 'limit'>): boolean => before !== undefined && after === undefined;

/** `statuses` and `types` name the ranges together: the first of both, the second of both, and so on. */
type Ranges = {
  org: string;
  statuses: readonly ActivityStatus[] | undefined;
  types: readonly string[] | undefined;
  after: string | undefined;
  before: string | undefined;
  limit: number;
};

type Ids = SelectQueryBuilder<Schema, 'activities', { id: string }>;

const idsOf = (db: Builder, p: Ranges): Ids => db.selectFrom('activities').select('id').where('organization_id', '=', p.org);

/** SQLite merges plain ranges: it reads one entry of each, and then as many as the page has. */
function rangeOnSqlite(db: Builder, p: Ranges, fixed: readonly Fixed[]): Ids {
  let ids = idsOf(db, p);
  for (const [column, value] of fixed) ids = ids.where(column, '=', value as never);
  return edge(ids, p);
}

/** The end of a page at which it begins. */
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

/** Each range is in the order of an index, and the engine merges them. Bodies are read for the page alone. */
const listed = dynamic({ statuses: true, types: true, after: true, before: true }, (db, p: Ranges, engine) => {
  const range = engine === 'sqlite' ? rangeOnSqlite : rangeOnPostgres;
  const ranges = Array.from({ length: p.statuses?.length ?? p.types?.length ?? 1 }, (_, i) => {
    const fixed: Fixed[] = [];
    if (p.statuses !== undefined) fixed.push(['status', p.statuses[i]!]);
    if (p.types !== undefined) fixed.push(['type', p.types[i]!]);
    return range(db, p, fixed);
  });
  const merged = db.selectFrom(ranges.reduce((all, one) => all.unionAll(one)).as('ranges')).select('ranges.id');
  const page = merged.orderBy('ranges.id', ascends(p) ? 'asc' : 'desc').limit(p.limit);
  const found = db.selectFrom('activities').select(activities.all).where('organization_id', '=', p.org).where('id', 'in', page);
  // The other end: what a page has beyond it is dropped.
  return p.after === undefined || p.before === undefined ? found : found.where('id', '>', p.before);
});

/** A type that no activity has. */
const NO_TYPE = '';

/** One range for each status and type. Their number is a power of two, so that there are few statements. */
function pairsOf(statuses: readonly ActivityStatus[], types: readonly string[]) {
  const pairs = statuses.flatMap((status) => types.map((type) => ({ status, type })));
  const count = 2 ** Math.ceil(Math.log2(pairs.length));
  while (pairs.length < count) pairs.push({ status: statuses[0]!, type: NO_TYPE });
  return { statuses: pairs.map(({ status }) => status), types: pairs.map(({ type }) => type) };
}

export type ActivityFilter = { statuses?: readonly ActivityStatus[] | undefined; types?: readonly string[] | undefined };

export const activityReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<Activity | undefined> {
    return get.first(conn, { org, id });
  },
  async byFingerprint(org: string, fingerprint: string): Promise<Activity | undefined> {
    return byFingerprint.first(conn, { org, fingerprint });
  },
  /** Votes in the order in which they were cast. */
  async votes(org: string, activity: string): Promise<Vote[]> {
    return inOrder(await votesFor.all(conn, { org, activity }));
  },
  async votesOf(org: string, ids: readonly string[]): Promise<Map<string, Vote[]>> {
    const byActivity = new Map<string, Vote[]>(ids.map((id) => [id, []]));
    const found = await inLists(ids, (some) => votesOf.all(conn, { org, ids: some }));
    for (const vote of found) byActivity.get(vote.activityId)?.push(vote);
    for (const cast of byActivity.values()) inOrder(cast);
    return byActivity;
  },
  /**
   * Newest first; `after` continues behind an id, `before` returns the page in front of an id. One index range for each requested
   * (status, type), so that a rare status costs as little as a common one.
   */
  async list(org: string, { statuses, types }: ActivityFilter, { after, before, limit }: Page): Promise<Activity[]> {
    const ranges = statuses && types ? pairsOf(statuses, types) : { statuses, types };
    const found = await listed.all(conn, { org, ...ranges, after, before, limit });
    return found.sort((a, b) => (a.id < b.id ? 1 : -1));
  },
});

export type ActivityOutcome = { status: ActivityStatus; result: string; failure: Failure | null };

export const activityWrites = (conn: Conn) => ({
  /** False if the organization has an activity with this fingerprint. */
  async insert(activity: Activity): Promise<boolean> {
    return (await insertActivity.run(conn, activity)) === 1;
  },
  async insertVote(vote: Vote): Promise<void> {
    await insertVote.run(conn, vote);
  },
  /** Compare-and-set on the version that the caller saw; false if another write was first. */
  async finish(seen: Activity, outcome: ActivityOutcome, now: number): Promise<boolean> {
    const changed = await update.run(conn, {
      org: seen.organizationId,
      id: seen.id,
      seen: seen.version,
      ...outcome,
      now,
    });
    return changed === 1;
  },
});
