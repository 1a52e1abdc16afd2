import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { reviewActivity as review } from '../../engine/query/review-activity.ts';
import { Id } from '../../wire/common.ts';
import { Review } from '../../wire/reviews.ts';

/** The public interface has no reviews. */
export const reviewActivity = query({
  name: 'review_activity',
  summary: 'An activity as policies see it, the decision now, its votes, and users whose approval would count',
  params: z.strictObject({ organizationId: Id, activityId: Id }),
  result: Review,
  errors: ['NOT_FOUND'],
  run: (ctx, { activityId }) => ctx.decisions.reviewTurn(ctx.caller.organization.id, () => review(ctx, activityId)),
});
