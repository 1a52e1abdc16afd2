/** Requests that wait for votes, newest first. The list has no bodies, so it can be asked for often. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { components } from '../../../openapi/client/public-api.d.ts';
import { useReader, useSessionState } from '../session/state.ts';
import { read, readerOf } from './read.ts';
import type { Activity, ActivityStatus } from './types.ts';

const WAITING = new Set<ActivityStatus>(['ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED']);

export const isWaiting = ({ status }: Pick<Activity, 'status'>): boolean => WAITING.has(status);

type Page = components['schemas']['ListWaitingActivitiesResponse'];
export type Waiting = Page['activities'][number];

/** Where no stream brings news. */
const ASK_AGAIN_MS = 5000;
const ASK_ANYWAY_MS = 60_000;

/** `isLive`: a stream tells of changes. */
export function useWaiting(isLive?: boolean) {
  const state = useSessionState();
  const session = useReader();
  return useInfiniteQuery({
    queryKey: [session && readerOf(session), 'list_waiting_activities'],
    initialPageParam: '',
    queryFn: ({ pageParam: after }) =>
      read<Page>(session!, 'list_waiting_activities', after === '' ? {} : { paginationOptions: { after } }),
    getNextPageParam: ({ next }) => next,
    enabled: state.status === 'in',
    ...(isLive === undefined
      ? {}
      : { refetchInterval: isLive ? ASK_ANYWAY_MS : ASK_AGAIN_MS, refetchIntervalInBackground: true }),
  });
}

/** The number that waits for the signed-in person: '' for none, `100+`, or `7+` for at least 7. */
export function useWaitingCount(): { text: string } {
  const { data } = useWaiting();
  const count = data?.pages[0]?.counts.forCaller ?? '0';
  return { text: count === '0' ? '' : count };
}
