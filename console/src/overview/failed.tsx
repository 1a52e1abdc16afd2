import { Link } from '@tanstack/react-router';
import { visible } from '../../../review/visible.ts';
import { parametersOf } from '../activities/filters.tsx';
import { useLook, type Zone } from '../app/look.ts';
import { useSummaries } from '../approvals/titles.ts';
import { commandOf } from '../parts/command.tsx';
import { Ago, exactText, millisecondsOf, useNow } from '../parts/time.tsx';
import { useRead } from '../service/read.ts';
import type { Activity } from '../service/types.ts';
import { ASK_AGAIN_MS, Part } from './part.tsx';

const SHOWN = 5;

/** The day in the shown time zone, as a filter names it. */
const today = (now: number, zone: Zone): string => exactText(now, zone).slice(0, 10);

/** Activities that failed since midnight. */
export function FailedToday() {
  const { zone } = useLook();
  const search = { status: 'FAILED', after: today(useNow(), zone) };
  const parameters = { ...parametersOf(search, zone), paginationOptions: { limit: String(SHOWN + 1) } };
  const failed = useRead<{ activities: Activity[] }>('list_activities', parameters, { refetchInterval: ASK_AGAIN_MS });
  const summaryOf = useSummaries(failed.data?.activities ?? NONE);
  return (
    <Part title="Failed today" read={failed} command={commandOf('query', 'list_activities', JSON.stringify(parameters))}>
      {({ activities }) =>
        activities.length === 0 ? (
          <p>Nothing has failed.</p>
        ) : (
          <>
            <ul className="requests">
              {activities.slice(0, SHOWN).map((activity) => (
                <li key={activity.id}>
                  <Link to="/activities/$id" params={{ id: activity.id }}>
                    <span className="request-title">{summaryOf(activity).title}</span>
                    <span className="dim">
                      {visible(activity.failure?.message ?? '')} · <Ago ms={millisecondsOf(activity.createdAt)} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
            {activities.length > SHOWN && (
              <Link to="/activities" search={search}>
                All that failed today
              </Link>
            )}
          </>
        )
      }
    </Part>
  );
}

const NONE: readonly Activity[] = [];
