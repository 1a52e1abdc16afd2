/** One request: what would be signed, who voted, and the decision. */
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { RefusedBy } from '../activities/decision.tsx';
import { Fingerprint } from '../parts/fingerprint.tsx';
import { Failure, Notice } from '../parts/notice.tsx';
import { OldPageNotice } from '../parts/old-page.tsx';
import { Status, statusText } from '../parts/status.tsx';
import { useRead } from '../service/read.ts';
import type { Activity } from '../service/types.ts';
import { isWaiting } from '../service/waiting.ts';
import { Body } from './body.tsx';
import { Decide } from './decide.tsx';
import { type Reading, useReading } from './reading.ts';
import { ReviewView } from './review-view.tsx';
import { ServiceSays } from './service-says.tsx';
import { typeText } from './titles.ts';
import { Votes } from './votes.tsx';

export function ReviewPane({ id }: { id: string }) {
  const { data, error } = useRead<{ activity: Activity }>('get_activity', { activityId: id });
  if (data) return <Pane activity={data.activity} asked={id} />;
  return error ? <Failure error={error} doing="Reading the request" /> : <p className="dim">Reading…</p>;
}

/** There the open request takes the place of the list, and of the row that has the focus. */
const takesPlace = () => matchMedia('(max-width: 48rem)').matches;

function Pane({ activity, asked }: { activity: Activity; asked: string }) {
  const reading = useReading(activity, asked);
  /** Each outcome is an object of its own, since two may have the same words. */
  const [done, setDone] = useState<{ text: string }>();
  const heading = useRef<HTMLHeadingElement>(null);
  const outcome = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesPlace()) heading.current?.focus();
  }, []);
  // The button that was pressed is off by now, or gone.
  useEffect(() => {
    if (done) outcome.current?.focus();
  }, [done]);
  const waits = isWaiting(activity);
  return (
    <article className="pane" aria-busy={reading === undefined}>
      <header className="pane-head">
        <h1 ref={heading} tabIndex={-1}>
          {reading?.review?.title ?? typeText(activity.type)}
        </h1>
        <Status status={activity.status} type={activity.type} />
      </header>
      {/* A live region tells of texts that come into it. */}
      <div ref={outcome} tabIndex={-1} role="status" className={done && 'notice good'}>
        {done && <p className="notice-title">{done.text}</p>}
      </div>
      {!waits && !done && (
        <Notice level="info" title={`It no longer waits: it is ${statusText(activity.status)}.`}>
          <RefusedBy activity={activity} />
        </Notice>
      )}
      {reading === undefined ? (
        <p className="dim">Reading the signed body…</p>
      ) : (
        <>
          {reading.review && <ReviewView review={reading.review} unproven={reading.unproven} />}
          <section>
            <h2 className="part">Votes</h2>
            <Votes votes={activity.votes} verified={reading.verified} />
          </section>
          <ServiceSays activity={activity} />
          <Proof reading={reading} />
          {reading.unread === 'old page' && <OldPageNotice />}
          {reading.unread !== 'old page' && (
            <Decide activity={activity} asked={asked} reading={reading} waits={waits} onDone={(text) => setDone({ text })} />
          )}
        </>
      )}
      <p>
        <Link to="/activities/$id" params={{ id: activity.id }}>
          The activity on record
        </Link>
      </p>
    </article>
  );
}

const Proof = ({ reading }: { reading: Reading }) =>
  reading.review ? (
    <section>
      <h2 className="part">Fingerprint</h2>
      <Fingerprint value={reading.review.fingerprint} />
      <p className={reading.differences.length === 0 ? 'good-text' : 'bad-text'}>
        {reading.differences.length === 0
          ? 'Read here from the signed bytes, and equal to what the service says.'
          : 'Computed here from the bytes. The service says something else.'}
      </p>
      <Body body={reading.body} />
    </section>
  ) : null;
