/** The table of activities. A row has one line on a desk and two on a phone. So 10,000 rows can be scrolled. */
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { visible } from '../../../review/visible.ts';
import { useSummaries } from '../approvals/titles.ts';
import { Status } from '../parts/status.tsx';
import { Ago, millisecondsOf } from '../parts/time.tsx';
import { useWindow } from '../parts/window.ts';
import type { Activity } from '../service/types.ts';

export function ActivityTable({ rows }: { rows: readonly Activity[] }) {
  const { ref, style, from, to } = useWindow(rows.length);
  const shown = useMemo(() => rows.slice(from, to), [rows, from, to]);
  const summaryOf = useSummaries(shown);
  return (
    <div ref={ref} style={style} className="window">
      <table className="activities" aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">What</th>
            <th scope="col">Status</th>
            <th scope="col">By</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((activity, i) => {
            const { title } = summaryOf(activity);
            return (
              <tr key={activity.id} aria-rowindex={from + i + 2}>
                <td>
                  <Link to="/activities/$id" params={{ id: activity.id }} title={title}>
                    {title}
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
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
