/** From a vote to what it decided, by the fingerprint that it names. */
import { Link, Navigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useSummaries } from '../approvals/titles.ts';
import { Failure, Notice } from '../parts/notice.tsx';
import { Status } from '../parts/status.tsx';
import { useRead } from '../service/read.ts';
import type { Activity } from '../service/types.ts';
import { votedOn } from '../service/voted-on.ts';

/** Pages of activities also open by a fingerprint. */
export const isFingerprint = (id: string): boolean => id.startsWith('sha256:');

const useNamed = (fingerprint: string) =>
  useRead<{ activities: Activity[] }>('list_activities', { filterByFingerprint: fingerprint }, { enabled: fingerprint !== '' });

export function ByFingerprint({ fingerprint }: { fingerprint: string }) {
  const { data, error } = useNamed(fingerprint);
  const [found] = data?.activities ?? [];
  if (found) return <Navigate to="/activities/$id" params={{ id: found.id }} replace />;
  return (
    <div className="wide">
      <h1>Activity</h1>
      {error && <Failure error={error} doing="Looking for the fingerprint" />}
      {data && <Notice level="info" title="No activity of this organization has this fingerprint" />}
      {!data && !error && <p className="dim">Reading…</p>}
    </div>
  );
}

/** In a list: a look-up is made when it is followed. */
export function VotedOnLink({ activity }: { activity: Activity }) {
  const fingerprint = votedOn(activity);
  if (fingerprint === undefined || !isFingerprint(fingerprint)) return null;
  return (
    <Link to="/activities/$id" params={{ id: fingerprint }} className="voted-on">
      what it decided
    </Link>
  );
}

const NONE: readonly Activity[] = [];

/** On the page of a vote. */
export function VotedOn({ activity }: { activity: Activity }) {
  const { data } = useNamed(votedOn(activity) ?? '');
  const summaryOf = useSummaries(useMemo(() => data?.activities ?? NONE, [data]));
  const [found] = data?.activities ?? [];
  if (found === undefined) return null;
  return (
    <div className="fact">
      <dt>Decided</dt>
      <dd>
        <Link to="/activities/$id" params={{ id: found.id }}>
          {summaryOf(found).title}
        </Link>{' '}
        <Status status={found.status} />
      </dd>
    </div>
  );
}
