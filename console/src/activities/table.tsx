/** The table of activities. A row has one line on a desk and two on a phone. So 10,000 rows can be scrolled. */
import { Link } from '@tanstack/react-router';
import { memo, useMemo } from 'react';
import { visible } from '../../../review/visible.ts';
import { useSummaries } from '../approvals/titles.ts';
import { Status } from '../parts/status.tsx';
import { Ago, millisecondsOf } from '../parts/time.tsx';
import { useWindow } from '../parts/window.ts';
import { useSureRows } from '../service/rows.ts';
import type { Activity } from '../service/types.ts';
import { VotedOnLink } from './voted-on.tsx';

type RowProps = { activity: Activity; index: number; title: string };

/** Scrolling draws the rows that come, and not again those that are there. */
const Row = memo(({ activity, index, title }: RowProps) => (
  <tr aria-rowindex={index}>
    <td>
      <Link to="/activities/$id" params={{ id: activity.id }} title={title}>
        {title}
      </Link>
      <VotedOnLink activity={activity} />
    </td>
    <td>
      <Status status={activity.status} />
    </td>
    <td>{visible(activity.votes[0]?.user.userName ?? '')}</td>
    <td>
      <Ago ms={millisecondsOf(activity.createdAt)} />
    </td>
  </tr>
));

export function ActivityTable({ rows }: { rows: readonly Activity[] }) {
  const { ref, style, from, to } = useWindow(rows.length);
  const shown = useMemo(() => rows.slice(from, to), [rows, from, to]);
  const summaryOf = useSummaries(shown);
  useSureRows(shown);
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
          {shown.map((activity, i) => (
            <Row key={activity.id} activity={activity} index={from + i + 2} title={summaryOf(activity).title} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
