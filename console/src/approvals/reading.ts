/** A request as it is read here from its signed body, and whether the service says the same. */
import { useEffect, useState } from 'react';
import type { Now, Review } from '../../../review/types.ts';
import { bytesOf, digestOf } from '../service/bytes.ts';
import type { Activity } from '../service/types.ts';
import { verifyVote } from '../service/verify.ts';
import { useSession } from '../session/state.ts';
import { nowOf } from './now.ts';

/** `differences`: reasons not to approve. */
export type Reading = { body: string; differences: string[]; review?: Review };

/** The sender's own vote, whose message is the body. */
export const bodyIn = ({ votes }: Activity): string => votes[0]?.message ?? '';

const HIDDEN = 'The service shows no body: it holds a secret, or was removed. So this page cannot tell what would be signed.';

async function stampDifference({ votes: [first] }: Activity): Promise<string[]> {
  if (first === undefined) return ['The service names no sender.'];
  const { state, said } = await verifyVote(first);
  return state === 'bad' ? [`The stamp of the sender is wrong: ${said.join(', ')}.`] : [];
}

/** `now`: what the service says holds now, for differences. It decides nothing. */
async function readingOf(
  activity: Activity,
  organizationId: string,
  now: (of: Review) => Promise<Now | undefined>,
): Promise<Reading> {
  const body = bodyIn(activity);
  if (body === '') return { body, differences: [HIDDEN] };
  const { compareWithService, reviewOf } = await import('../../../review/index.ts');
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
  return { body, review, differences: [...differences, ...(await stampDifference(activity))] };
}

/** Undefined while it is being read. An answer that changed is read anew. */
export function useReading(activity: Activity): Reading | undefined {
  const session = useSession();
  const [made, setMade] = useState<{ of: Activity; reading: Reading }>();
  useEffect(() => {
    let wanted = true;
    const done = (reading: Reading) => wanted && setMade({ of: activity, reading });
    readingOf(activity, session.organizationId, (review) => nowOf(session, review)).then(done, (error: Error) =>
      done({ body: bodyIn(activity), differences: [`The body could not be read: ${error.message}.`] }),
    );
    return () => {
      wanted = false;
    };
  }, [activity, session]);
  return made?.of === activity ? made.reading : undefined;
}
