/** Activities that wait for votes. */
import { useQuery } from '@tanstack/react-query';
import { useSessionState } from '../session/state.ts';
import { read, readerOf } from './read.ts';
import type { Activity } from './types.ts';

const WAITING = ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'];
const PAGE = 100;

/** Where no stream brings news. */
const ASK_AGAIN_MS = 5000;
const ASK_ANYWAY_MS = 60_000;

export const isForMe = ({ canApprove, canReject }: Activity): boolean => canApprove || canReject;

/** The newest hundred. `isLive`: a stream tells of changes. */
export function useWaiting(isLive?: boolean) {
  const state = useSessionState();
  const session = 'session' in state ? state.session : undefined;
  const parameters = { filterByStatus: WAITING, paginationOptions: { limit: String(PAGE) } };
  return useQuery({
    queryKey: [session && readerOf(session), 'list_activities', 'waiting'],
    queryFn: async () => (await read<{ activities: Activity[] }>(session!, 'list_activities', parameters)).activities,
    enabled: state.status === 'in',
    ...(isLive === undefined
      ? {}
      : { refetchInterval: isLive ? ASK_ANYWAY_MS : ASK_AGAIN_MS, refetchIntervalInBackground: true }),
  });
}

/** Of those for the signed-in person: '' for none, at most `100+`. */
export function useWaitingCount(): { text: string } {
  const { data = [] } = useWaiting();
  const count = data.filter(isForMe).length;
  if (count === 0) return { text: '' };
  return { text: data.length === PAGE ? `${count}+` : String(count) };
}
