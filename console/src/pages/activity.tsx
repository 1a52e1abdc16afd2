/** One activity on record: what it was, who voted, why it was decided so, and what came of it. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { visible } from '../../../review/visible.ts';
import { Decision, RefusedBy } from '../activities/decision.tsx';
import { Json } from '../activities/json.tsx';
import { Related } from '../activities/related.tsx';
import { ByFingerprint, isFingerprint, VotedOn } from '../activities/voted-on.tsx';
import { useTitle } from '../app/title.ts';
import { Body } from '../approvals/body.tsx';
import { bodyIn, useReading } from '../approvals/reading.ts';
import { ReviewView } from '../approvals/review-view.tsx';
import { titleOf } from '../approvals/sign-out.ts';
import { typeText } from '../approvals/titles.ts';
import { Votes } from '../approvals/votes.tsx';
import { AsCommandHere, commandOf } from '../parts/command.tsx';
import { Copy } from '../parts/copy.tsx';
import { Fingerprint } from '../parts/fingerprint.tsx';
import { Failure, Notice } from '../parts/notice.tsx';
import { OldPageNotice } from '../parts/old-page.tsx';
import { Status } from '../parts/status.tsx';
import { Exact, millisecondsOf } from '../parts/time.tsx';
import { adviceFor, detailsIn } from '../service/errors.ts';
import { useRead } from '../service/read.ts';
import type { Activity } from '../service/types.ts';

const route = getRouteApi('/activities/$id');

const TABS = ['summary', 'votes', 'decision', 'body', 'result', 'related'] as const;

export function ActivityPage() {
  const { id } = route.useParams();
  return isFingerprint(id) ? <ByFingerprint fingerprint={id} /> : <ById id={id} />;
}

function ById({ id }: { id: string }) {
  const { data, error } = useRead<{ activity: Activity }>('get_activity', { activityId: id });
  useTitle(data ? typeText(data.activity.type) : 'Activity');
  return (
    <div className="wide">
      <p>
        <Link to="/activities">‹ Activities</Link>
      </p>
      {data ? (
        <Detail activity={data.activity} asked={id} />
      ) : (
        <>
          <h1>Activity</h1>
          {error ? <Failure error={error} doing="Reading the activity" /> : <p>Reading…</p>}
        </>
      )}
    </div>
  );
}

function Detail({ activity, asked }: { activity: Activity; asked: string }) {
  const { tab = 'summary' } = route.useSearch();
  const navigate = route.useNavigate();
  const reading = useReading(activity, asked);
  const open = TABS.find((name) => name === tab) ?? 'summary';
  return (
    <article>
      <header className="pane-head">
        <h1>{reading?.review ? titleOf(reading.review, activity.votes[0]?.userId) : typeText(activity.type)}</h1>
        <Status status={activity.status} type={activity.type} />
      </header>
      <Head activity={activity} asked={asked} />
      <Tabs
        selectedKey={open}
        onSelectionChange={(key) =>
          void navigate({ search: key === 'summary' ? {} : { tab: String(key) }, replace: true, resetScroll: false })
        }
      >
        <TabList aria-label="Parts of the activity" className="tabs">
          {TABS.map((name) => (
            <Tab key={name} id={name} className="tab">
              {name.charAt(0).toUpperCase() + name.slice(1)}
            </Tab>
          ))}
        </TabList>
        <TabPanel id="summary">
          {reading?.unread === 'old page' ? (
            <OldPageNotice />
          ) : reading?.review ? (
            <ReviewView review={reading.review} unproven={reading.unproven} />
          ) : (
            <p className="dim">{reading ? 'No body is shown.' : 'Reading…'}</p>
          )}
          {reading && reading.differences.length > 0 && (
            <Notice level="red" title="What was read here and what the service says differ">
              <ul>
                {reading.differences.map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </Notice>
          )}
        </TabPanel>
        <TabPanel id="votes">
          <Votes votes={activity.votes} verified={reading?.verified} />
        </TabPanel>
        <TabPanel id="decision">
          <Decision activity={activity} />
        </TabPanel>
        <TabPanel id="body">
          <Fingerprint value={reading?.review?.fingerprint ?? activity.fingerprint} />
          <Body body={bodyIn(activity)} />
        </TabPanel>
        <TabPanel id="result">
          {Object.keys(activity.result).length > 0 ? (
            <Json value={activity.result} />
          ) : (
            <p className="dim">There is no result.</p>
          )}
        </TabPanel>
        <TabPanel id="related">
          <Related activity={activity} />
        </TabPanel>
      </Tabs>
    </article>
  );
}

type FailedProps = { activity: Activity; failure: NonNullable<Activity['failure']>; asked: string };

function Failed({ activity, failure, asked }: FailedProps) {
  const { code = 'UNSPECIFIED' } = detailsIn(failure);
  const advice = adviceFor(code);
  return (
    <Notice level="red" title={visible(failure.message)}>
      <RefusedBy activity={activity} />
      {advice && <p>{advice}</p>}
      <p className="dim">
        <code>{code}</code>
      </p>
      <AsCommandHere line={commandOf('why', asked)} />
    </Notice>
  );
}

const Head = ({ activity, asked }: { activity: Activity; asked: string }) => (
  <>
    {activity.failure && <Failed activity={activity} failure={activity.failure} asked={asked} />}
    <dl className="facts">
      <VotedOn activity={activity} />
      <div className="fact">
        <dt>Id</dt>
        <dd>
          <code className="address">{activity.id}</code> <Copy text={activity.id} what="the id" />
        </dd>
      </div>
      <div className="fact">
        <dt>Created</dt>
        <dd>
          <Exact ms={millisecondsOf(activity.createdAt)} />
        </dd>
      </div>
      <div className="fact">
        <dt>Changed</dt>
        <dd>
          <Exact ms={millisecondsOf(activity.updatedAt)} />
        </dd>
      </div>
    </dl>
  </>
);
