/** A request as it is read here from its signed body, and whether the service says the same. */
import { useEffect, useState } from 'react';
import type { About, Ask } from '../../../review/index.ts';
import type { Review } from '../../../review/types.ts';
import { visible } from '../../../review/visible.ts';
import { bytesOf, digestOf } from '../service/bytes.ts';
import { loaded, OldPage } from '../service/part.ts';
import { client, read, readerOf } from '../service/read.ts';
import type { Activity } from '../service/types.ts';
import { type Verified, verifyVote } from '../service/verify.ts';
import { type Session, useSession } from '../session/state.ts';

/** As other questions of a page. */
const FRESH_MS = 5000;

/** `differences`: reasons not to approve. `verified`: the votes, in their order. `unread`: why there is no review. */
export type Reading = {
  body: string;
  differences: string[];
  verified: readonly Verified[];
  review?: Review;
  /** The review in one line. */
  about?: About;
  unread?: 'hidden' | 'old page';
  /** Of the answer before this one, which is being read. */
  isLast?: true;
  /** What the service does not say, and what its word alone says, in words. */
  unproven?: readonly string[];
};

/** The sender's own vote, whose message is the body. */
export const bodyIn = ({ votes }: Activity): string => votes[0]?.message ?? '';

const votesOf = (activity: Activity, body: string, fingerprint: string): Promise<Verified[]> =>
  Promise.all(activity.votes.map((vote) => verifyVote(vote, { ...activity, body, fingerprint })));

function wrongVotes(verified: readonly Verified[]): string[] {
  if (verified.length === 0) return ['The service names no sender.'];
  const name = (i: number) => (i === 0 ? 'The stamp of the sender' : `Vote ${i + 1}`);
  return verified.flatMap(({ state, said }, i) => (state === 'bad' ? [`${name(i)} is wrong: ${said.join(', ')}.`] : []));
}

/** One question for all that ask it on this page. */
const asks =
  (session: Session): Ask =>
  (name, parameters) =>
    client.fetchQuery({
      queryKey: [readerOf(session), name, parameters],
      queryFn: () => read(session, name, parameters),
      staleTime: FRESH_MS,
    });

async function readingOf(activity: Activity, asked: string, session: Session): Promise<Reading> {
  const body = bodyIn(activity);
  const other = activity.id === asked.toLowerCase() ? [] : ['The service answers with another activity.'];
  if (body === '') {
    const verified = await votesOf(activity, body, activity.fingerprint);
    return { body, verified, unread: 'hidden', differences: [...other, ...wrongVotes(verified)] };
  }
  const { aboutOf, compareWithElements, compareWithService, reviewOf, saidOf, unprovenPlace } = await loaded(
    import('../../../review/index.ts'),
  );
  const bytes = bytesOf(body);
  const { options, elements, missing } = await saidOf(reviewOf(bytes), asked, asks(session));
  const review = reviewOf(bytes, options);
  // Computed by the browser itself too, apart from the review.
  const here = `sha256:${await digestOf(body)}`;
  const differences = [...other, ...compareWithService(review, activity), ...compareWithElements(review, elements)];
  if (here !== review.fingerprint) differences.push('Two computations of the fingerprint differ.');
  if (here !== activity.fingerprint && !differences.length)
    differences.push(`The fingerprint of the body is ${here}. The service says ${activity.fingerprint}.`);
  if (activity.organizationId !== session.organizationId)
    differences.push(`The service answers with an activity of another organization: ${activity.organizationId}.`);
  const verified = await votesOf(activity, body, here);
  const about = aboutOf(review);
  const unproven = [...missing, ...unprovenPlace(review, activity.organizationId)];
  return { body, review, about, verified, unproven, differences: [...differences, ...wrongVotes(verified)] };
}

/** A vote or a new status changes nothing of what was read. */
const isSameRequest = (a: Activity, b: Activity): boolean =>
  a.id === b.id && a.fingerprint === b.fingerprint && bodyIn(a) === bodyIn(b);

/** Undefined while the request is being read. An answer that changed is read anew. */
export function useReading(activity: Activity, asked: string): Reading | undefined {
  const session = useSession();
  const [made, setMade] = useState<{ of: Activity; reading: Reading }>();
  useEffect(() => {
    let wanted = true;
    const done = (reading: Reading) => wanted && setMade({ of: activity, reading });
    const failed = (error: Error): Reading => ({
      ...{ body: bodyIn(activity), verified: [] },
      ...(error instanceof OldPage
        ? { differences: [], unread: 'old page' }
        : { differences: [`The body could not be read: ${error.message}.`] }),
    });
    readingOf(activity, asked, session)
      .catch(failed)
      .then((reading) => done({ ...reading, differences: reading.differences.map(visible) }));
    return () => {
      wanted = false;
    };
  }, [activity, asked, session]);
  if (made === undefined || made.of === activity) return made?.reading;
  return isSameRequest(made.of, activity) ? { ...made.reading, verified: [], isLast: true } : undefined;
}
