/** Rows of lists that were read long ago. They keep their place, and get their new status. */
import type { InfiniteData, QueryKey } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { type Session, useSession } from '../session/state.ts';
import { client, isPassing, read } from './read.ts';
import type { Activity, ActivityStatus } from './types.ts';

type Pages = InfiniteData<{ activities: Activity[] }>;

/** They are final: news of such an activity ends. */
const ENDED = new Set<ActivityStatus>(['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_REJECTED']);

export const named = (organizationId: string, name: string) => ({
  predicate: ({ queryKey }: { queryKey: QueryKey }) => String(queryKey[0]).startsWith(organizationId) && queryKey[1] === name,
});

/** An answer may be older than the news. */
export function changeRows(
  organizationId: string,
  changes: ReadonlyMap<string, Pick<Activity, 'status' | 'updatedAt'> | undefined>,
): void {
  const isOld = ({ id, status, updatedAt }: Activity): boolean => {
    const change = changes.get(id);
    if (change === undefined || ENDED.has(status)) return false;
    const { seconds, nanos } = change.updatedAt;
    return change.status !== status || seconds !== updatedAt.seconds || nanos !== updatedAt.nanos;
  };
  const row = (activity: Activity): Activity => {
    const { status, updatedAt } = changes.get(activity.id) ?? activity;
    return isOld(activity) ? { ...activity, status, updatedAt } : activity;
  };
  client.setQueriesData<Pages>(
    named(organizationId, 'list_pages'),
    // Undefined leaves the list as it is, with what it failed at.
    (data) =>
      data?.pages.some(({ activities }) => activities.some(isOld))
        ? { ...data, pages: data.pages.map((page) => ({ ...page, activities: page.activities.map(row) })) }
        : undefined,
  );
}

/** Rows of which news may be missing. Each is read when it is drawn, so a long list costs no more than what is seen of it. */
let doubtful = new Set<string>();
let drawn: { session?: Session; ids: readonly string[] } = { ids: [] };
let isReading = false;
const listeners = new Set<() => void>();

/** After a gap in the news: rows that are open, beyond the newest ones. */
export function doubtOpenRows(organizationId: string): void {
  const newest = client.getQueriesData<{ activities: Activity[] }>(named(organizationId, 'list_activities'));
  const known = new Map(newest.flatMap(([, data]) => data?.activities.map((activity) => [activity.id, activity] as const) ?? []));
  // They leave the newest page some time, and no further news of them may come.
  changeRows(organizationId, known);
  const rows = client
    .getQueriesData<Pages>(named(organizationId, 'list_pages'))
    .flatMap(([, data]) => data?.pages.flatMap(({ activities }) => activities) ?? []);
  doubtful = new Set(rows.filter(({ id, status }) => !known.has(id) && !ENDED.has(status)).map(({ id }) => id));
  for (const tell of listeners) tell();
}

const RETRY_MS = 3000;

/** One after the other, until no drawn row is doubtful. After a failure that may pass, the other rows go first, after a while. */
async function readDrawn(): Promise<void> {
  if (isReading) return;
  isReading = true;
  const failed = new Set<string>();
  for (;;) {
    const { session, ids } = drawn;
    const doubts = doubtful;
    const left = ids.filter((id) => doubts.has(id));
    const activityId = left.find((id) => !failed.has(id)) ?? left[0];
    if (session === undefined || activityId === undefined) break;
    try {
      const { activity } = await read<{ activity: Activity }>(session, 'get_activity', { activityId });
      changeRows(session.organizationId, new Map([[activityId, activity]]));
      doubts.delete(activityId);
    } catch (error) {
      if (!isPassing(error)) doubts.delete(activityId);
      if (failed.has(activityId)) failed.clear();
      failed.add(activityId);
      await new Promise((again) => setTimeout(again, RETRY_MS));
    }
  }
  isReading = false;
}

const subscribe = (tell: () => void) => {
  listeners.add(tell);
  return () => void listeners.delete(tell);
};

/** Reads the doubtful ones of the rows that are drawn. */
export function useSureRows(rows: readonly Activity[]): void {
  const session = useSession();
  const doubts = useSyncExternalStore(subscribe, () => doubtful);
  useEffect(() => {
    drawn = { session, ids: rows.map(({ id }) => id) };
    if (doubts.size > 0) void readDrawn();
    return () => {
      drawn = { ids: [] };
    };
  }, [rows, doubts, session]);
}
