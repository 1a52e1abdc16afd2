/** Reads again what news made old: changed activities, and lists. Many changes at once are read once, by tabs that are seen. */
import type { InfiniteData, Query, QueryKey } from '@tanstack/react-query';
import type { Session } from '../session/state.ts';
import { client, read } from './read.ts';
import type { Activity, ActivityStatus } from './types.ts';

/** `waited`: it is or was among those that wait. `votedOn`: the fingerprint that a vote names. */
export type Change = Pick<Activity, 'id' | 'status' | 'updatedAt'> & { waited: boolean; votedOn: string | undefined };

/** A vote is an activity too. The one that it is about has news of its own only if its status changes. */
const VOTES = /^ACTIVITY_TYPE_(?:APPROVE|REJECT)_ACTIVITY$/;

export function changeOf({ id, type, intent, status, updatedAt, votes }: Activity): Change {
  const [meant] = Object.values(intent) as { fingerprint?: string }[];
  const votedOn = VOTES.test(type) ? meant?.fingerprint : undefined;
  const waited = status !== 'ACTIVITY_STATUS_COMPLETED' || votes.length > 1 || votedOn !== undefined;
  return { id, status, updatedAt, waited, votedOn };
}

const TOGETHER_MS = 300;
/** A page of activities with their bodies is much to read. */
const APART_MS = 2000;

/** They are final: news of such an activity ends. */
const ENDED = new Set<ActivityStatus>(['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_REJECTED']);

const OF_ONE = new Set(['get_activity', 'review_activity', 'get_policy_evaluations']);

/** A tab may be hidden for days. */
const MOST_CHANGES = 1000;

/** Since the last refresh, by id. Without a change it is not known what became of it. `all`: news may be missing. */
let old = { all: false, changes: new Map<string, Change | undefined>() };
let pending: ReturnType<typeof setTimeout> | undefined;
let last = 0;

type Listed = InfiniteData<{ activities: { activityId: string }[] }>;
type Pages = InfiniteData<{ activities: Activity[] }>;

const named = (organizationId: string, name: string) => ({
  predicate: ({ queryKey }: { queryKey: QueryKey }) => String(queryKey[0]).startsWith(organizationId) && queryKey[1] === name,
});

/** The service judges each request that it lists. So the list is asked for only if something that waits has changed. */
function waitsOld(organizationId: string): boolean {
  if (old.all || [...old.changes.values()].some((change) => change?.waited ?? true)) return true;
  const listed = client.getQueriesData<Listed>(named(organizationId, 'list_waiting_activities'));
  return listed.some(([, data]) =>
    data?.pages.some(({ activities }) => activities.some(({ activityId }) => old.changes.has(activityId))),
  );
}

/** Rows of a list that were read long ago keep their place, and get their new status. An answer may be older than the news. */
function changeRows(
  organizationId: string,
  changes: ReadonlyMap<string, Pick<Activity, 'status' | 'updatedAt'> | undefined>,
): void {
  const row = (activity: Activity): Activity => {
    const change = changes.get(activity.id);
    const isNews = change !== undefined && !ENDED.has(activity.status);
    return isNews ? { ...activity, status: change.status, updatedAt: change.updatedAt } : activity;
  };
  client.setQueriesData<Pages>(
    named(organizationId, 'list_pages'),
    // Undefined leaves the list as it is, with what it failed at.
    (data) =>
      data?.pages.some(({ activities }) => activities.some(({ id }) => changes.get(id)))
        ? { ...data, pages: data.pages.map((page) => ({ ...page, activities: page.activities.map(row) })) }
        : undefined,
  );
}

/** Rows beyond the newest ones, of which news may be missing. */
function openRows(organizationId: string): Set<string> {
  const newest = client.getQueriesData<{ activities: Activity[] }>(named(organizationId, 'list_activities'));
  const known = new Set(newest.flatMap(([, data]) => data?.activities.map(({ id }) => id) ?? []));
  const rows = client
    .getQueriesData<Pages>(named(organizationId, 'list_pages'))
    .flatMap(([, data]) => data?.pages.flatMap(({ activities }) => activities) ?? []);
  return new Set(rows.filter(({ id, status }) => !known.has(id) && !ENDED.has(status)).map(({ id }) => id));
}

/** One after the other. If the service is away, the next stream begins this again. */
async function readOpenRows(session: Session): Promise<void> {
  const { organizationId } = session;
  for (const activityId of openRows(organizationId)) {
    const { activity } = await read<{ activity: Activity }>(session, 'get_activity', { activityId });
    changeRows(organizationId, new Map([[activityId, activity]]));
  }
}

/** The ids of what has changed, and of what was voted on as far as this page knows it. */
function changedIds(organizationId: string): Set<string> {
  const fingerprints = new Set([...old.changes.values()].flatMap((change) => change?.votedOn ?? []));
  const known = client.getQueriesData<{ activity: Activity }>(named(organizationId, 'get_activity'));
  const voted = known.flatMap(([, data]) => (data && fingerprints.has(data.activity.fingerprint) ? [data.activity.id] : []));
  return new Set([...old.changes.keys(), ...voted]);
}

function refreshNow(session: Session): void {
  const { organizationId } = session;
  const withWaiting = waitsOld(organizationId);
  const { all } = old;
  const ids = changedIds(organizationId);
  const isOld = ({ queryKey: [reader, name, parameters], state }: Query): boolean => {
    if (!String(reader).startsWith(organizationId)) return false;
    // The service may have been away. A list with rows keeps them.
    if (all && state.status === 'error' && state.data === undefined) return true;
    if (name === 'list_activities') return true;
    if (name === 'list_waiting_activities') return withWaiting;
    if (name === 'list_sends') return all || ids.has((parameters as { filterByActivityId?: string }).filterByActivityId ?? '');
    return OF_ONE.has(String(name)) && (all || ids.has((parameters as { activityId: string }).activityId));
  };
  changeRows(organizationId, old.changes);
  old = { all: false, changes: new Map() };
  last = Date.now();
  const again = client.invalidateQueries({ predicate: isOld });
  if (all) again.then(() => readOpenRows(session)).catch(() => {});
}

function soon(session: Session): void {
  if (pending !== undefined) return;
  const run = () => {
    pending = undefined;
    if (!document.hidden) refreshNow(session);
  };
  pending = setTimeout(run, Math.max(TOGETHER_MS, last + APART_MS - Date.now()));
}

/** Without a change: news may be missing. */
export function refresh(session: Session, change?: Change): void {
  if (change === undefined || old.changes.size > MOST_CHANGES) old = { all: true, changes: new Map() };
  else old.changes.set(change.id, change);
  soon(session);
}

/** What became of a vote of this page is shown at once. */
export function refreshAfter(session: Session, activityId: string): void {
  old.changes.set(activityId, undefined);
  refreshNow(session);
}

/** A tab that was not seen reads what it missed. Returns what ends it. */
export function refreshWhenSeen(session: Session): () => void {
  const seen = () => {
    if (!document.hidden && (old.all || old.changes.size > 0)) soon(session);
  };
  document.addEventListener('visibilitychange', seen);
  return () => {
    document.removeEventListener('visibilitychange', seen);
    // It is of this organization. The next one has news of its own.
    clearTimeout(pending);
    pending = undefined;
    old = { all: false, changes: new Map() };
  };
}
