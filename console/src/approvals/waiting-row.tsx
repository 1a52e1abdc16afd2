/** One request of the list. Its body, which has the title, is read when the row is seen. */
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { visible } from '../../../review/visible.ts';
import { useSeen } from '../parts/seen.ts';
import { Ago, millisecondsOf } from '../parts/time.tsx';
import { useRead } from '../service/read.ts';
import type { Activity } from '../service/types.ts';
import type { Waiting } from '../service/waiting.ts';
import { typeText, useSummaries } from './titles.ts';

export function WaitingRow({ row, show }: { row: Waiting; show: 'all' | undefined }) {
  const { ref, isSeen } = useSeen();
  const read = { enabled: isSeen, staleTime: Number.POSITIVE_INFINITY };
  const { data } = useRead<{ activity: Activity }>('get_activity', { activityId: row.activityId }, read);
  const summaryOf = useSummaries(useMemo(() => (data ? [data.activity] : []), [data]));
  const { title, to, danger } = data ? summaryOf(data.activity) : { title: typeText(row.type), to: '', danger: '' };
  const name = data?.activity.votes[0]?.user.userName;
  return (
    <li ref={ref}>
      <Link to="/approvals" search={{ ...(show ? { show } : {}), open: row.activityId }}>
        <span className="request-title">{title}</span>
        <span className="dim">
          {danger && <span className="tag red">{danger}</span>}
          {danger && ' '}
          {to && `${to} · `}
          {name === undefined ? '' : `${visible(name)} · `}
          <Ago ms={millisecondsOf(row.createdAt)} />
        </span>
      </Link>
    </li>
  );
}
