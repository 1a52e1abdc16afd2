/** A request as it is read here from its signed body, and whether the service says the same. */
import { useEffect, useState } from 'react';
import type { Now, Review } from '../../../review/types.ts';
import { bytesOf, digestOf } from '../service/bytes.ts';
import { loaded, OldPage } from '../service/part.ts';
import type { Activity } from '../service/types.ts';
import { type Verified, verifyVote } from '../service/verify.ts';
import { useSession } from '../session/state.ts';
import { nowOf } from './now.ts';

/** `differences`: reasons not to approve. `verified`: the votes, in their order. `unread`: why there is no review. */
export type Reading = {
  body: string;
  differences: string[];
  verified: readonly Verified[];
  review?: Review;
  unread?: 'hidden' | 'old page';
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

/** `now`: what the service says holds now, for differences. It decides nothing. */
async function readingOf(
  activity: Activity,
  asked: string,
  organizationId: string,
  now: (of: Review) => Promise<Now | undefined>,
): Promise<Reading> {
  const body = bodyIn(activity);
  const other = activity.id === asked.toLowerCase() ? [] : ['The service answers with another activity.'];
  if (body === '') {
    const verified = await votesOf(activity, body, activity.fingerprint);
    return { body, verified, unread: 'hidden', differences: [...other, ...wrongVotes(verified)] };
  }
  const { compareWithService, reviewOf } = await loaded(import('../../../review/index.ts'));
  const bytes = bytesOf(body);
  const alone = reviewOf(bytes);
  const holds = await now(alone);
  const review = holds === undefined ? alone : reviewOf(bytes, { now: holds });
  // Computed by the browser itself too, apart from the review.
  const here = `sha256:${await digestOf(body)}`;
  const differences = compareWithService(review, activity);
  if (here !== review.fingerprint) differences.push('Two computations of the fingerprint differ.');
  if (here !== activity.fingerprint && !differences.length)
    differences.push(`The fingerprint of the body is ${here}. The service says ${activity.fingerprint}.`);
  if (review.organizationId !== organizationId)
    differences.push(`The body names another organization: ${review.organizationId}.`);
  const verified = await votesOf(activity, body, here);
  return { body, review, verified, differences: [...other, ...differences, ...wrongVotes(verified)] };
}

/** Undefined while it is being read. An answer that changed is read anew. */
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
    readingOf(activity, asked, session.organizationId, (review) => nowOf(session, review)).then(done, (error: Error) =>
      done(failed(error)),
    );
    return () => {
      wanted = false;
    };
  }, [activity, asked, session]);
  return made?.of === activity ? made.reading : undefined;
}
