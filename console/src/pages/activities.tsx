/** All activities, newest first. Filters are in the address. New ones wait above the list, so that no row moves under a press. */
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ExportButtons } from '../activities/export-buttons.tsx';
import { ActivityFilters, parametersOf } from '../activities/filters.tsx';
import { searchOf } from '../activities/search.ts';
import { ActivityTable } from '../activities/table.tsx';
import { useLook } from '../app/look.ts';
import { useTitle } from '../app/title.ts';
import { Button } from '../parts/button.tsx';
import { AsCommandHere, commandOf } from '../parts/command.tsx';
import { More } from '../parts/more.tsx';
import { Failure } from '../parts/notice.tsx';
import { read, readerOf } from '../service/read.ts';
import type { Activity } from '../service/types.ts';
import { useSession, useSessionState } from '../session/state.ts';

const route = getRouteApi('/activities');

const PAGE = 50;
/** Rows of the newest page, which is asked for again and again. */
const NEWEST = 20;

type Listed = { activities: Activity[] };

/**
 * Pages, by the id of the last row. The newest page is asked for as long as it may have a row that is shown. `showNew` starts again with
 * the newest page.
 */
function useList(filters: Record<string, unknown>) {
  const session = useSession();
  const { status } = useSessionState();
  const client = useQueryClient();
  const pages = [readerOf(session), 'list_pages', filters];
  const pageAfter = (after: string, limit = PAGE) =>
    read<Listed>(session, 'list_activities', {
      ...filters,
      paginationOptions: { limit: String(limit), ...(after && { after }) },
    });
  const list = useInfiniteQuery({
    queryKey: pages,
    initialPageParam: '',
    queryFn: ({ pageParam }) => pageAfter(pageParam),
    getNextPageParam: ({ activities }) => (activities.length === 0 ? undefined : activities.at(-1)!.id),
    enabled: status === 'in',
    staleTime: Number.POSITIVE_INFINITY,
  });
  const rows = useMemo(() => list.data?.pages.flatMap(({ activities }) => activities) ?? [], [list.data]);
  const first = rows[0]?.id ?? '';
  const isAllNew = (listed: Listed | undefined) =>
    listed?.activities.length === NEWEST && listed.activities.every(({ id }) => id > first);
  const newest = useQuery({
    queryKey: [readerOf(session), 'list_activities', 'newest', filters],
    queryFn: () => pageAfter('', NEWEST),
    enabled: ({ state }) => status === 'in' && list.isSuccess && !isAllNew(state.data),
    refetchInterval: 15_000,
  });
  const showNew = async () => {
    scrollTo({ top: 0 });
    const data = await pageAfter('').catch(() => undefined);
    if (data) client.setQueryData<InfiniteData<Listed>>(pages, { pages: [data], pageParams: [''] });
  };
  return { list, rows, newest: newest.data?.activities ?? [], showNew };
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
  const { list, rows, newest, showNew } = useList(filters);
  const { shown, fresh } = useCurrent(rows, newest);
  const newest100 = JSON.stringify({ ...filters, paginationOptions: { limit: '100' } });
  const more = fresh.length === NEWEST ? `${NEWEST}+` : String(fresh.length);
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
          <Button onPress={showNew}>
            {more} new <span aria-hidden="true">▸</span>
          </Button>
        )}
      </div>
      {list.error && <Failure error={list.error} doing="Reading activities" />}
      {list.isPending && !list.error && <p className="dim">Reading…</p>}
      {list.isSuccess && shown.length === 0 && <p className="empty">No activity fits these filters.</p>}
      {shown.length > 0 && <ActivityTable rows={shown} />}
      <More list={list} />
      <AsCommandHere line={commandOf('query', 'list_activities', JSON.stringify(filters))} />
      <AsCommandHere
        line={commandOf('query', 'list_activities', newest100, '--field', 'activities.*')}
        title="The newest 100 as JSON lines, by a command"
      />
    </div>
  );
}
