import { getRouteApi, Link } from '@tanstack/react-router';
import { type Show, waitingSearchOf } from '../activities/search.ts';
import { useTitle } from '../app/title.ts';
import { Decided } from '../approvals/decided.tsx';
import { ReviewPane } from '../approvals/review-pane.tsx';
import { WaitingRow } from '../approvals/waiting-row.tsx';
import { AsCommandHere, commandOf } from '../parts/command.tsx';
import { More } from '../parts/more.tsx';
import { Failure } from '../parts/notice.tsx';
import { useWaiting } from '../service/waiting.ts';

const route = getRouteApi('/approvals');

/** The service judges each request that it lists, so pages with nothing for the person are not read without end. */
const MOST_BY_ITSELF = 3;

export function ApprovalsPage() {
  useTitle('Approvals');
  const { show, open } = waitingSearchOf(route.useSearch());
  const { counts } = useWaiting().data?.pages[0] ?? {};
  return (
    <div className={open ? 'split has-open' : 'split'}>
      <section className="list-side" aria-label={show === 'decided' ? 'Requests that you decided' : 'Requests that wait'}>
        <h1>Approvals</h1>
        <nav className="tabs" aria-label="Which requests">
          <Link to="/approvals" search={open ? { open } : {}} activeOptions={{ exact: true }}>
            For me <span className="count">{counts?.forCaller}</span>
          </Link>
          <Link to="/approvals" search={{ show: 'all', ...(open ? { open } : {}) }}>
            All <span className="count">{counts?.all}</span>
          </Link>
          <Link to="/approvals" search={{ show: 'decided', ...(open ? { open } : {}) }}>
            Decided
          </Link>
        </nav>
        {show === 'decided' ? <Decided /> : <Waits show={show} />}
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

function Waits({ show }: { show: Show | undefined }) {
  const { data, error, isPending, ...list } = useWaiting();
  const rows = data?.pages.flatMap(({ activities }) => activities) ?? [];
  const shown = show === 'all' ? rows : rows.filter(({ waitsForCaller }) => waitsForCaller);
  return (
    <>
      {error && <Failure error={error} doing="Reading what waits" />}
      {isPending && !error && <p className="dim">Reading…</p>}
      {data && shown.length === 0 && <Nothing all={show === 'all'} others={rows.length} more={list.hasNextPage} />}
      <ul className="requests">
        {shown.map((row) => (
          <WaitingRow key={row.activityId} row={row} show={show} />
        ))}
      </ul>
      <More list={list} byItself={(data?.pages.length ?? 0) < MOST_BY_ITSELF} />
      <AsCommandHere line={commandOf('approvals', 'list')} title="This list as a command" />
    </>
  );
}

function nothingText(all: boolean, others: number, more: boolean): string {
  if (more) return `None of the newest ${others} waits for you.`;
  return all || others === 0 ? 'Nothing waits.' : `Nothing waits for you. Others have ${others}.`;
}

const Nothing = ({ all, others, more }: { all: boolean; others: number; more: boolean }) => (
  <div className="empty">
    <p>{nothingText(all, others, more)}</p>
    <p className="dim">A request waits when a policy or the root quorum asks for more approvals than it has.</p>
  </div>
);
