/** What a person should know first: what waits, what failed, and what may stop requests soon. */
import { Link } from '@tanstack/react-router';
import { useTitle } from '../app/title.ts';
import { WaitingRow } from '../approvals/waiting-row.tsx';
import { FailedToday } from '../overview/failed.tsx';
import { Frozen } from '../overview/frozen.tsx';
import { Installation } from '../overview/installation.tsx';
import { FullLimits } from '../overview/limits.tsx';
import { Part } from '../overview/part.tsx';
import { commandOf } from '../parts/command.tsx';
import { useWaiting } from '../service/waiting.ts';

const SHOWN = 5;

export function OverviewPage() {
  useTitle('Overview');
  return (
    <div className="wide">
      <h1>Overview</h1>
      <div className="overview">
        <WaitsForMe />
        <FailedToday />
        <Frozen />
        <FullLimits />
        <Installation />
      </div>
    </div>
  );
}

function WaitsForMe() {
  const waiting = useWaiting();
  return (
    <Part title="Waits for you" read={waiting} command={commandOf('approvals', 'list')}>
      {({ pages: [first] }) => {
        const { forCaller, all } = first!.counts;
        const rows = first!.activities.filter(({ waitsForCaller }) => waitsForCaller).slice(0, SHOWN);
        return (
          <>
            {forCaller === '0' && <p>Nothing waits for you.</p>}
            <ul className="requests">
              {rows.map((row) => (
                <WaitingRow key={row.activityId} row={row} show={undefined} />
              ))}
            </ul>
            {all !== '0' && (
              <Link to="/approvals" search={forCaller === '0' ? { show: 'all' } : {}}>
                {forCaller === '0' ? `${all} wait for others` : `All ${forCaller} that wait for you`}
              </Link>
            )}
          </>
        );
      }}
    </Part>
  );
}
