import type { Activity, ActivityStatus, Failure, Vote } from '../../model/activity.ts';
import type { Page } from '../page.ts';
import type { Schema } from '../schema.ts';
import { type Conn, dynamic, statement } from '../statement.ts';

type Row = Schema['activities'];
type VoteRow = Schema['votes'];

const toActivity = (row: Row): Activity => ({
  organizationId: row.organization_id,
  id: row.id,
  fingerprint: row.fingerprint,
  type: row.type,
  status: row.status as ActivityStatus,
  body: row.body as Buffer,
  result: row.result,
  failure: row.failure === '' ? null : (JSON.parse(row.failure) as Failure),
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const activityRow = (a: Activity): Row => ({
  organization_id: a.organizationId,
  id: a.id,
  fingerprint: a.fingerprint,
  type: a.type,
  status: a.status,
  body: a.body,
  result: a.result,
  failure: a.failure === null ? '' : JSON.stringify(a.failure),
  version: a.version,
  created_at: a.createdAt,
  updated_at: a.updatedAt,
});

const toVote = (row: VoteRow): Vote => ({
  organizationId: row.organization_id,
  activityId: row.activity_id,
  id: row.id,
  userId: row.user_id,
  userVersion: row.user_version,
  position: row.position,
  credentialId: row.credential_id,
  selection: row.selection as Vote['selection'],
  scheme: row.scheme,
  publicKey: row.public_key,
  signature: row.signature,
  message: row.message as Buffer | null,
  createdAt: row.created_at,
});

export const voteRow = (v: Vote): VoteRow => ({
  organization_id: v.organizationId,
  activity_id: v.activityId,
  id: v.id,
  user_id: v.userId,
  credential_id: v.credentialId,
  selection: v.selection,
  scheme: v.scheme,
  public_key: v.publicKey,
  signature: v.signature,
  message: v.message,
  created_at: v.createdAt,
  user_version: v.userVersion,
  position: v.position,
});

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('activities').selectAll().where('organization_id', '=', p.org).where('id', '=', p.id),
);
const byFingerprint = statement((db, p: { org: string; fingerprint: string }) =>
  db.selectFrom('activities').selectAll().where('organization_id', '=', p.org).where('fingerprint', '=', p.fingerprint),
);
const votes = statement((db, p: { org: string; activity: string }) =>
  db.selectFrom('votes').selectAll().where('organization_id', '=', p.org).where('activity_id', '=', p.activity).orderBy('id'),
);

/** Sorted here: they are few, and come in the order of their ids. */
const inOrder = (cast: Vote[]): Vote[] => cast.sort((a, b) => a.position - b.position);
export const insertActivity = statement((db, p: Row) =>
  db
    .insertInto('activities')
    .values({
      organization_id: p.organization_id,
      id: p.id,
      fingerprint: p.fingerprint,
      type: p.type,
      status: p.status,
      body: p.body,
      result: p.result,
      failure: p.failure,
      version: p.version,
      created_at: p.created_at,
      updated_at: p.updated_at,
    })
    .onConflict((c) => c.columns(['organization_id', 'fingerprint']).doNothing()),
);
export const insertVote = statement((db, p: VoteRow) =>
  db.insertInto('votes').values({
    organization_id: p.organization_id,
    activity_id: p.activity_id,
    id: p.id,
    user_id: p.user_id,
    credential_id: p.credential_id,
    selection: p.selection,
    scheme: p.scheme,
    public_key: p.public_key,
    signature: p.signature,
    message: p.message,
    created_at: p.created_at,
    user_version: p.user_version,
    position: p.position,
  }),
);
const update = statement(
  (db, p: { org: string; id: string; seen: number; status: string; result: string; failure: string; now: number }) =>
    db
      .updateTable('activities')
      .set((e) => ({ status: p.status, result: p.result, failure: p.failure, version: e('version', '+', 1), updated_at: p.now }))
      .where('organization_id', '=', p.org)
      .where('id', '=', p.id)
      .where('version', '=', p.seen),
);

export type ActivityFilter = { statuses?: readonly string[] | undefined; types?: readonly string[] | undefined };

export const activityReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<Activity | undefined> {
    const row = await get.first(conn, { org, id });
    return row && toActivity(row);
  },
  async byFingerprint(org: string, fingerprint: string): Promise<Activity | undefined> {
    const row = await byFingerprint.first(conn, { org, fingerprint });
    return row && toActivity(row);
  },
  /** Votes in the order in which they were cast. */
  async votes(org: string, activity: string): Promise<Vote[]> {
    return inOrder((await votes.all(conn, { org, activity })).map(toVote));
  },
  async votesOf(org: string, activities: readonly string[]): Promise<Map<string, Vote[]>> {
    const byActivity = new Map<string, Vote[]>(activities.map((id) => [id, []]));
    if (activities.length === 0) return byActivity;
    const rows = await dynamic<VoteRow>(conn, (db) =>
      db
        .selectFrom('votes')
        .selectAll()
        .where('organization_id', '=', org)
        .where('activity_id', 'in', activities)
        .orderBy('activity_id')
        .orderBy('id'),
    );
    for (const row of rows) byActivity.get(row.activity_id)?.push(toVote(row));
    for (const cast of byActivity.values()) inOrder(cast);
    return byActivity;
  },
  /**
   * Newest first; `after` continues behind an id, `before` gives the page in front of one. Filters run one index
   * range for each (status, type) asked for and merge them, so a rare status costs no walk over the others.
   */
  async list(org: string, filter: ActivityFilter, page: Page): Promise<Activity[]> {
    const ascending = page.before !== undefined && page.after === undefined;
    const range = (status: string | undefined, type: string | undefined) =>
      dynamic<Row>(conn, (db) => {
        let query = db.selectFrom('activities').selectAll().where('organization_id', '=', org);
        if (status !== undefined) query = query.where('status', '=', status);
        if (type !== undefined) query = query.where('type', '=', type);
        if (page.after !== undefined) query = query.where('id', '<', page.after);
        if (page.before !== undefined) query = query.where('id', '>', page.before);
        return query.orderBy('id', ascending ? 'asc' : 'desc').limit(page.limit);
      });
    const pages: Row[][] = [];
    for (const status of filter.statuses ?? [undefined])
      for (const type of filter.types ?? [undefined]) pages.push(await range(status, type));
    const merged = pages.flat();
    if (pages.length > 1) merged.sort((a, b) => (a.id < b.id ? -1 : 1) * (ascending ? 1 : -1));
    const rows = merged.slice(0, page.limit);
    return (ascending ? rows.reverse() : rows).map(toActivity);
  },
});

export type Outcome = { status: ActivityStatus; result: string; failure: Failure | null };

export const activityWrites = (conn: Conn) => ({
  /** False if the organization has an activity with this fingerprint. */
  async insert(activity: Activity): Promise<boolean> {
    return (await insertActivity.run(conn, activityRow(activity))) === 1;
  },
  async insertVote(vote: Vote): Promise<void> {
    await insertVote.run(conn, voteRow(vote));
  },
  /** Compare-and-set on the version that the caller saw; false if somebody else was first. */
  async finish(seen: Activity, outcome: Outcome, now: number): Promise<boolean> {
    const changed = await update.run(conn, {
      org: seen.organizationId,
      id: seen.id,
      seen: seen.version,
      status: outcome.status,
      result: outcome.result,
      failure: outcome.failure === null ? '' : JSON.stringify(outcome.failure),
      now,
    });
    return changed === 1;
  },
});
