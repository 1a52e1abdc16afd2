import type { Activity, ActivityStatus, Failure, Vote } from '../../model/activity.ts';
import type { Page } from '../page.ts';
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

type Range = {
  org: string;
  status: ActivityStatus | undefined;
  type: string | undefined;
  after: string | undefined;
  before: string | undefined;
  limit: number;
};

const range = dynamic({ status: true, type: true, after: true, before: true }, (db, p: Range) => {
  let query = db.selectFrom('activities').select(activities.all).where('organization_id', '=', p.org);
  if (p.status !== undefined) query = query.where('status', '=', p.status);
  if (p.type !== undefined) query = query.where('type', '=', p.type);
  if (p.after !== undefined) query = query.where('id', '<', p.after);
  if (p.before !== undefined) query = query.where('id', '>', p.before);
  return query.orderBy('id', ascends(p) ? 'asc' : 'desc').limit(p.limit);
});

export type ActivityFilter = { statuses?: readonly string[] | undefined; types?: readonly string[] | undefined };

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
    if (ids.length === 0) return byActivity;
    for (const vote of await votesOf.all(conn, { org, ids })) byActivity.get(vote.activityId)?.push(vote);
    for (const cast of byActivity.values()) inOrder(cast);
    return byActivity;
  },
  /**
   * Newest first; `after` continues behind an id, `before` returns the page in front of an id. Filters run one index
   * range per requested (status, type) and merge them, so a rare status needs no scan over the others.
   */
  async list(org: string, filter: ActivityFilter, page: Page): Promise<Activity[]> {
    const ascending = ascends(page);
    const { after, before, limit } = page;
    const pages: Activity[][] = [];
    for (const status of filter.statuses ?? [undefined])
      for (const type of filter.types ?? [undefined])
        pages.push(await range.all(conn, { org, status: status as ActivityStatus | undefined, type, after, before, limit }));
    const merged = pages.flat();
    if (pages.length > 1) merged.sort((a, b) => (a.id < b.id ? -1 : 1) * (ascending ? 1 : -1));
    const newest = merged.slice(0, limit);
    return ascending ? newest.reverse() : newest;
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
