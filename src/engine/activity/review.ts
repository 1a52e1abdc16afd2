import { ApiError } from '../../base/errors.ts';
import type { Warning } from '../../model/warning.ts';
import type { ReviewContext } from '../context.ts';
import type { DecodedActivity } from './decode.ts';

/** How many warnings one body gets. */
const MOST = 50;

export type Reviewing = Omit<ReviewContext, 'warn'>;

/**
 * Has the activity review a new body; its warnings go into `found`. Returns a promise only where it reads: signatures never
 * wait.
 */
export function review(reviewing: Reviewing, { kind, intent }: DecodedActivity, found: Warning[]): Promise<void> | undefined {
  if (kind.review === undefined) return undefined;
  const warn: ReviewContext['warn'] = (code, text) => {
    if (found.length < MOST) found.push({ code, text });
  };
  return kind.review({ ctx: { ...reviewing, warn }, intent });
}

/** The warnings of a review for a body that is only explained. A refusal is one more warning. */
export async function warningsOfReview(reviewing: Reviewing, decoded: DecodedActivity): Promise<Warning[]> {
  const found: Warning[] = [];
  try {
    await review(reviewing, decoded, found);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    found.push({ code: 'WOULD_BE_REFUSED', text: error.message });
  }
  return found;
}
