import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { wireTimestamp } from '../../base/time.ts';
import { type RecipientSaid, recipientsSaid } from '../../domain/audit/recipients-said.ts';
import type { QueryContext } from '../../engine/query/declare.ts';
import { query } from '../../engine/query/declare.ts';
import { reviewActivity as review } from '../../engine/query/review-activity.ts';
import { Id } from '../../wire/common.ts';
import { type Recipients, Review } from '../../wire/reviews.ts';

const viewRecipient = ({ address, isOwn, earlier, alike }: RecipientSaid) => ({
  ...{ address, isOwn },
  ...(earlier && { earlier: { activityId: earlier.activityId, createdAt: wireTimestamp(earlier.createdAt) } }),
  ...(alike && { alike }),
});

/** What the record knows of the accounts that it pays. */
async function recipientsIn(ctx: QueryContext, activityId: string): Promise<z.output<typeof Recipients>> {
  const { organization, read, decisions, now } = ctx;
  const activity = await read.activities.get(organization.id, activityId);
  if (activity === undefined) throw new ApiError('NOT_FOUND', `activity not found: activityId names ${activityId}`);
  const { recipients, more, since } = await recipientsSaid({ read, organization, decode: decisions.decode }, activity, now);
  const shown = recipients.map(viewRecipient);
  return {
    ...{ recipients: shown, moreRecipients: more },
    ...(shown.length === 0 ? {} : { recipientsSince: wireTimestamp(since) }),
  };
}

const whole = async (ctx: QueryContext, activityId: string) => ({
  ...(await review(ctx, activityId)),
  ...(await recipientsIn(ctx, activityId)),
});

/** The public interface has no reviews. */
export const reviewActivity = query({
  name: 'review_activity',
  summary: 'An activity as policies see it, the decision now, its votes, users who may approve, and accounts it pays',
  params: z.strictObject({ organizationId: Id, activityId: Id }),
  result: Review,
  errors: ['NOT_FOUND'],
  run: (ctx, { activityId }) => ctx.decisions.reviewTurn(ctx.caller.organization, () => whole(ctx, activityId)),
});
