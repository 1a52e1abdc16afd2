import { getRouteApi, Link } from '@tanstack/react-router';
import { visible } from '../../../review/visible.ts';
import { useTitle } from '../app/title.ts';
import { ReviewPane } from '../approvals/review-pane.tsx';
import { useTitles } from '../approvals/titles.ts';
import { Failure } from '../parts/notice.tsx';
import { Ago, millisecondsOf } from '../parts/time.tsx';
import type { Activity } from '../service/types.ts';
import { isForMe, useWaiting } from '../service/waiting.ts';

const route = getRouteApi('/approvals');

const NONE: readonly Activity[] = [];

export function ApprovalsPage() {
  useTitle('Approvals');
  const { show, open } = route.useSearch();
  const { data = NONE, error, isPending } = useWaiting();
  const mine = data.filter(isForMe);
  const shown = show === 'all' ? data : mine;
  const titleOf = useTitles(data);
  return (
    <div className={open ? 'split has-open' : 'split'}>
      <section className="list-side" aria-label="Requests that wait">
        <h1>Approvals</h1>
        <nav className="tabs" aria-label="Which requests">
          <Link to="/approvals" search={open ? { open } : {}} activeOptions={{ exact: true }}>
            For me <span className="count">{mine.length}</span>
          </Link>
          <Link to="/approvals" search={{ show: 'all', ...(open ? { open } : {}) }}>
            All <span className="count">{data.length === 100 ? '100+' : data.length}</span>
          </Link>
        </nav>
        {error && <Failure error={error} doing="Reading what waits" />}
        {isPending && !error && <p className="dim">Reading…</p>}
        {!isPending && shown.length === 0 && <Nothing all={show === 'all'} others={data.length} />}
        <ul className="requests">
          {shown.map((activity) => (
            <li key={activity.id}>
              <Link to="/approvals" search={{ ...(show ? { show } : {}), open: activity.id }}>
                <span className="request-title">{titleOf(activity)}</span>
                <span className="dim">
                  {visible(activity.votes[0]?.user.userName ?? '')} · <Ago ms={millisecondsOf(activity.createdAt)} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </section>
      <section className="open-side" aria-label="The open request">
        {open ? (
          <>
            <Link className="back" to="/approvals" search={show ? { show } : {}}>
              ‹ All requests
            </Link>
            <ReviewPane key={open} id={open} />
          </>
        ) : (
          <p className="dim hint">Choose a request to read what it would sign.</p>
        )}
      </section>
    </div>
  );
}

const Nothing = ({ all, others }: { all: boolean; others: number }) => (
  <div className="empty">
    <p>
      {all || others === 0
        ? 'Nothing waits.'
        : `Nothing waits for you. Others have ${others === 100 ? 'more than 100' : others}.`}
    </p>
    <p className="dim">A request waits when a policy or the root quorum asks for more approvals than it has.</p>
  </div>
);
