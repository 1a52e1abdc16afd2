/** The requests that the person approved or rejected, newest first. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { More } from '../parts/more.tsx';
import { Failure } from '../parts/notice.tsx';
import { statusText } from '../parts/status.tsx';
import { Ago, millisecondsOf } from '../parts/time.tsx';
import { read, readerOf } from '../service/read.ts';
import type { Activity } from '../service/types.ts';
import { decisionOf } from '../service/voted-on.ts';
import { useSession, useSessionState } from '../session/state.ts';
import { useSummaries } from './titles.ts';

const PAGE = '50';
/** The service lists by user what they sent too. So pages with no decision are not read without end. */
const MOST_BY_ITSELF = 3;
/** Votes are listed by user soon after they are cast. */
const AGAIN_MS = 5000;
/** A short list has an empty page at its end. A long one is read again when it is opened. */
const MOST_AGAIN = 2;

function useMine() {
  const session = useSession();
  const { status } = useSessionState();
  return useInfiniteQuery({
    queryKey: [readerOf(session), 'decided_pages'],
    initialPageParam: '',
    queryFn: ({ pageParam: after }) =>
      read<{ activities: Activity[] }>(session, 'list_activities', {
        filterByUserId: session.userId,
        paginationOptions: { limit: PAGE, ...(after && { after }) },
      }),
    getNextPageParam: ({ activities }) => activities.at(-1)?.id,
    enabled: status === 'in',
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= MOST_AGAIN ? AGAIN_MS : false),
  });
}

export function Decided() {
  const { userId } = useSession();
  const { data, error, isPending, ...list } = useMine();
  const all = useMemo(() => data?.pages.flatMap(({ activities }) => activities) ?? [], [data]);
  const rows = useMemo(() => all.filter((activity) => decisionOf(activity, userId)), [all, userId]);
  const summaryOf = useSummaries(rows);
  return (
    <>
      {error && <Failure error={error} doing="Reading your decisions" />}
      {isPending && !error && <p className="dim">Reading…</p>}
      {data && rows.length === 0 && (
        <p className="empty">
          {list.hasNextPage ? `None of your newest ${all.length} activities is a decision.` : 'You have decided nothing yet.'}
        </p>
      )}
      <ul className="requests">
        {rows.map((activity) => {
          const { selection, createdAt } = decisionOf(activity, userId)!;
          return (
            <li key={activity.id}>
              <Link to="/approvals" search={{ show: 'decided', open: activity.id }}>
                <span className="request-title">{summaryOf(activity).title}</span>
                <span className="dim">
                  you {selection === 'VOTE_SELECTION_REJECTED' ? 'rejected' : 'approved'} <Ago ms={millisecondsOf(createdAt)} /> ·{' '}
                  {statusText(activity.status)}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
      <More list={list} byItself={(data?.pages.length ?? 0) < MOST_BY_ITSELF} />
    </>
  );
}
