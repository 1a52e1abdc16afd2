/** A request as it is read here from its signed body, and whether the service says the same. */
import { useEffect, useState } from 'react';
import type { About, Ask } from '../../../review/index.ts';
import type { Review } from '../../../review/types.ts';
import { visible } from '../../../review/visible.ts';
import { bytesOf, digestOf } from '../service/bytes.ts';
import { loaded, OldPage } from '../service/part.ts';
import type { Activity } from '../service/types.ts';
import { type Verified, verifyVote } from '../service/verify.ts';
import { isWaiting } from '../service/waiting.ts';
import { type Session, useSession } from '../session/state.ts';
import { follow } from './said.ts';

/** `differences`: reasons not to approve. `verified`: the votes, in their order. `unread`: why there is no review. */
type Read = {
  body: string;
  differences: string[];
  verified: readonly Verified[];
  review?: Review;
  /** The review in one line. */
  about?: About;
  unread?: 'hidden' | 'old page';
  /** What the service does not say, and what its word alone says, in words. */
  unproven?: readonly string[];
};

export type Reading = Read & {
  /** It rises with each reading that shows something else. */
  count: number;
  /** Of the answer before this one, which is being read. */
  isLast?: true;
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

async function readingOf(activity: Activity, asked: string, session: Session, ask: Ask): Promise<Read> {
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
  const { options, elements, missing } = await saidOf(reviewOf(bytes), asked, ask);
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

type Made = { of: Activity; reading: Reading };

/** All that the body does not say. */
const saidIn = ({ review, unproven, differences }: Read): string =>
  JSON.stringify([review?.facts, review?.calls, review?.warnings, unproven, differences]);

/** What shows nothing new keeps its review, so nothing is drawn anew. */
function madeOf(of: Activity, read: Read, before: Made | undefined): Made {
  if (before === undefined) return { of, reading: { ...read, count: 0 } };
  const { review, count } = before.reading;
  if (!isSameRequest(before.of, of) || saidIn(before.reading) !== saidIn(read))
    return { of, reading: { ...read, count: count + 1 } };
  return { of, reading: { ...read, ...(review && { review }), count } };
}

function failed(activity: Activity, error: Error): Read {
  const nothing = { body: bodyIn(activity), verified: [] };
  if (error instanceof OldPage) return { ...nothing, differences: [], unread: 'old page' };
  return { ...nothing, differences: [`The body could not be read: ${error.message}.`] };
}

/**
 * Undefined while the request is being read. An answer that changed is read anew. So is a request that waits, when the service says
 * something else beside it.
 */
export function useReading(activity: Activity, asked: string): Reading | undefined {
  const session = useSession();
  const [made, setMade] = useState<Made>();
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    const reads = async (ask: Ask) => {
      const read = await readingOf(activity, asked, session, ask).catch((error: Error) => failed(activity, error));
      const differences = read.differences.map(visible);
      if (!signal.aborted) setMade((before) => madeOf(activity, { ...read, differences }, before));
    };
    void follow(session, reads, { of: activity.id, repeats: isWaiting(activity), signal });
    return () => ended.abort();
  }, [activity, asked, session]);
  if (made === undefined || made.of === activity) return made?.reading;
  return isSameRequest(made.of, activity) ? { ...made.reading, verified: [], isLast: true } : undefined;
}
