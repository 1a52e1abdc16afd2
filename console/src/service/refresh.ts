/** Reads again what news made old: changed activities, and lists. Many changes at once are read once, by tabs that are seen. */
import type { InfiniteData, Query } from '@tanstack/react-query';
import type { Session } from '../session/state.ts';
import { client } from './read.ts';
import { changeRows, doubtOpenRows, named } from './rows.ts';
import type { Activity } from './types.ts';
import { votedOn } from './voted-on.ts';

/** `waited`: it is or was among those that wait. `votedOn`: the fingerprint that a vote names. */
export type Change = Pick<Activity, 'id' | 'status' | 'updatedAt'> & { waited: boolean; votedOn: string | undefined };

/** The activity that a vote is about has news of its own only if its status changes. */
export function changeOf(activity: Activity): Change {
  const { id, status, updatedAt, votes } = activity;
  const about = votedOn(activity);
  return {
    id,
    status,
    updatedAt,
    waited: status !== 'ACTIVITY_STATUS_COMPLETED' || votes.length > 1 || about !== undefined,
    votedOn: about,
  };
}

const TOGETHER_MS = 300;
/** A page of activities with their bodies is much to read. */
const APART_MS = 2000;

const OF_ONE = new Set(['get_activity', 'review_activity', 'get_policy_evaluations']);

/** A tab may be hidden for days. A busy organization makes thousands between two refreshes. */
const MOST_CHANGES = 10_000;

/** Since the last refresh, by id. Without a change it is not known what became of it. `all`: news may be missing. */
let old = { all: false, changes: new Map<string, Change | undefined>() };
let pending: ReturnType<typeof setTimeout> | undefined;
let last = 0;

type Listed = InfiniteData<{ activities: { activityId: string }[] }>;

/** The service judges each request that it lists. So the list is asked for only if something that waits has changed. */
function waitsOld(organizationId: string): boolean {
  if (old.all || [...old.changes.values()].some((change) => change?.waited ?? true)) return true;
  const listed = client.getQueriesData<Listed>(named(organizationId, 'list_waiting_activities'));
  return listed.some(([, data]) =>
    data?.pages.some(({ activities }) => activities.some(({ activityId }) => old.changes.has(activityId))),
  );
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
  if (all) void again.then(() => doubtOpenRows(organizationId));
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
