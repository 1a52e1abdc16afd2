/** All activities, newest first. Filters are in the address. New ones wait above the list, so that no row moves under a press. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { visible } from '../../../review/visible.ts';
import { ExportButtons } from '../activities/export-buttons.tsx';
import { ActivityFilters, parametersOf } from '../activities/filters.tsx';
import { searchOf } from '../activities/search.ts';
import { useLook } from '../app/look.ts';
import { useTitle } from '../app/title.ts';
import { useTitles } from '../approvals/titles.ts';
import { Button } from '../parts/button.tsx';
import { AsCommand, commandOf } from '../parts/command.tsx';
import { More } from '../parts/more.tsx';
import { Failure } from '../parts/notice.tsx';
import { Status } from '../parts/status.tsx';
import { Ago, millisecondsOf } from '../parts/time.tsx';
import { read, readerOf } from '../service/read.ts';
import type { Activity } from '../service/types.ts';
import { useSession, useSessionState } from '../session/state.ts';

const route = getRouteApi('/activities');

const PAGE = 50;

type Listed = { activities: Activity[] };

/** Pages, by the id of the last row. A refresh asks only for what is newer than the first row. */
function useList(filters: Record<string, unknown>) {
  const session = useSession();
  const { status } = useSessionState();
  const list = useInfiniteQuery({
    queryKey: [readerOf(session), 'list_pages', filters],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      read<Listed>(session, 'list_activities', {
        ...filters,
        paginationOptions: { limit: String(PAGE), ...(pageParam === '' ? {} : { after: pageParam }) },
      }),
    getNextPageParam: ({ activities }) => (activities.length === 0 ? undefined : activities.at(-1)!.id),
    enabled: status === 'in',
    staleTime: Number.POSITIVE_INFINITY,
  });
  const rows = useMemo(() => list.data?.pages.flatMap(({ activities }) => activities) ?? [], [list.data]);
  const newest = useQuery({
    queryKey: [readerOf(session), 'list_activities', 'newest', filters],
    queryFn: () => read<Listed>(session, 'list_activities', { ...filters, paginationOptions: { limit: String(PAGE) } }),
    enabled: status === 'in' && list.isSuccess,
    refetchInterval: 15_000,
  });
  return { list, rows, newest: newest.data?.activities ?? [] };
}

/** Rows keep their place, and show their newest state. */
function useCurrent(rows: readonly Activity[], newest: readonly Activity[]) {
  return useMemo(() => {
    const changed = new Map(newest.map((activity) => [activity.id, activity]));
    const known = new Set(rows.map(({ id }) => id));
    const first = rows[0]?.id ?? '';
    return {
      shown: rows.map((row) => changed.get(row.id) ?? row),
      fresh: newest.filter(({ id }) => !known.has(id) && id > first),
    };
  }, [rows, newest]);
}

export function ActivitiesPage() {
  useTitle('Activities');
  const search = searchOf(route.useSearch());
  const { zone } = useLook();
  const filters = parametersOf(search, zone);
  const { list, rows, newest } = useList(filters);
  const { shown, fresh } = useCurrent(rows, newest);
  const titleOf = useTitles(shown);
  const more = fresh.length === PAGE ? `${PAGE}+` : String(fresh.length);
  return (
    <div className="wide">
      <div className="pane-head">
        <h1>Activities</h1>
        <span>
          <ExportButtons filters={filters} />
        </span>
      </div>
      <ActivityFilters search={search} />
      <div role="status" className="fresh">
        {fresh.length > 0 && (
          <Button onPress={() => void list.refetch()}>
            {more} new <span aria-hidden="true">▸</span>
          </Button>
        )}
      </div>
      {list.error && <Failure error={list.error} doing="Reading activities" />}
      {list.isPending && !list.error && <p className="dim">Reading…</p>}
      {list.isSuccess && shown.length === 0 && <p className="empty">No activity fits these filters.</p>}
      {shown.length > 0 && <Table rows={shown} titleOf={titleOf} />}
      <More list={list} />
      <AsCommand line={commandOf('query', 'list_activities', JSON.stringify(filters))} />
    </div>
  );
}

const Table = ({ rows, titleOf }: { rows: readonly Activity[]; titleOf: (activity: Activity) => string }) => (
  <table className="activities">
    <thead>
      <tr>
        <th scope="col">What</th>
        <th scope="col">Status</th>
        <th scope="col">By</th>
        <th scope="col">When</th>
      </tr>
    </thead>
    <tbody>
      {rows.map((activity) => (
        <tr key={activity.id}>
          <td>
            <Link to="/activities/$id" params={{ id: activity.id }}>
              {titleOf(activity)}
            </Link>
          </td>
          <td>
            <Status status={activity.status} />
          </td>
          <td>{visible(activity.votes[0]?.user.userName ?? '')}</td>
          <td>
            <Ago ms={millisecondsOf(activity.createdAt)} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
