/** Reads again what news made old: changed activities, and lists. Many changes at once are read once, by tabs that are seen. */
import type { Query } from '@tanstack/react-query';
import type { Session } from '../session/state.ts';
import { client } from './read.ts';
import { changeRows, doubtOpenRows } from './rows.ts';
import type { Activity } from './types.ts';

/** Of an activity that waits, was voted on or has ended after it waited. News of others is that there are some. */
export type Change = Pick<Activity, 'id' | 'status' | 'updatedAt'>;

const TOGETHER_MS = 300;
/** A page of activities with their bodies is much to read. */
const APART_MS = 2000;

const OF_ONE = new Set(['get_activity', 'review_activity', 'get_policy_evaluations']);

/** A tab may be hidden for days. A busy organization makes thousands between two refreshes. */
const MOST_CHANGES = 10_000;

/** Of one message. `factsVersion` is another one when policies, users or other facts that decide have changed. An older process has none. */
export type Changes = { changes: readonly Change[]; factsVersion?: string };

/**
 * Since the last refresh. `all`: news may be missing. `facts`: what decisions rest on may have changed. `changes`: by id. Undefined if it
 * is not known what became of it.
 */
const nothing = () => ({ all: false, facts: false, isNew: false, changes: new Map<string, Change | undefined>() });
let old = nothing();
let pending: ReturnType<typeof setTimeout> | undefined;
let last = 0;
/** Of the latest message. */
let factsVersion: string | undefined;

type Hears = (concerns: (activityId: string) => boolean) => void;

const listeners = new Set<Hears>();

/** `hear` is called at news that this tab reads. It is told whether they concern an activity. Returns what ends it. */
export function onNews(hear: Hears): () => void {
  listeners.add(hear);
  return () => void listeners.delete(hear);
}

function refreshNow(session: Session): void {
  const { organizationId } = session;
  const { all, facts, changes: ids } = old;
  const reviews = client
    .getQueryCache()
    .findAll({ type: 'active', predicate: ({ queryKey }) => queryKey[1] === 'review_activity' });
  const open = new Set(reviews.map(({ queryKey }) => (queryKey[2] as { activityId: string }).activityId));
  const isOld = ({ queryKey: [reader, name, parameters], state }: Query): boolean => {
    if (!String(reader).startsWith(organizationId)) return false;
    // The service may have been away. A list with rows keeps them.
    if (all && state.status === 'error' && state.data === undefined) return true;
    if (name === 'list_activities') return true;
    // The service judges each request that it lists.
    if (name === 'list_waiting_activities') return all || facts || ids.size > 0;
    if (name === 'list_sends') return all || ids.has((parameters as { filterByActivityId?: string }).filterByActivityId ?? '');
    if (!OF_ONE.has(String(name))) return false;
    const { activityId } = parameters as { activityId: string };
    return all || ids.has(activityId) || (facts && open.has(activityId));
  };
  changeRows(organizationId, ids);
  old = nothing();
  last = Date.now();
  const again = client.invalidateQueries({ predicate: isOld });
  if (all) void again.then(() => doubtOpenRows(organizationId));
  for (const hear of listeners) hear((id) => all || facts || ids.has(id));
}

function soon(session: Session): void {
  if (pending !== undefined) return;
  const run = () => {
    pending = undefined;
    if (!document.hidden) refreshNow(session);
  };
  pending = setTimeout(run, Math.max(TOGETHER_MS, last + APART_MS - Date.now()));
}

/** Without news some may be missing. */
export function refresh(session: Session, news?: Changes): void {
  if (news === undefined || old.changes.size > MOST_CHANGES) old = { ...nothing(), all: true };
  for (const change of news?.changes ?? []) old.changes.set(change.id, change);
  // The first version of a stream may be another one than the pages were read at.
  if (news !== undefined && (factsVersion === undefined || news.factsVersion !== factsVersion)) old.facts = true;
  factsVersion = news?.factsVersion;
  old.isNew = true;
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
    if (!document.hidden && old.isNew) soon(session);
  };
  document.addEventListener('visibilitychange', seen);
  return () => {
    document.removeEventListener('visibilitychange', seen);
    // It is of this organization. The next one has news of its own.
    clearTimeout(pending);
    pending = undefined;
    old = nothing();
  };
}
