import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { waitingActivities } from '../../engine/query/waiting-activities.ts';
import { Id, IdOut, Pagination } from '../../wire/common.ts';
import { WaitingActivity, WaitingCounts } from '../../wire/reviews.ts';

const MOST_SHOWN = 100;

/** The public interface shows this of each activity, but has no counts. */
export const listWaitingActivities = query({
  name: 'list_waiting_activities',
  summary:
    'Activities that wait for approvals, newest first, and whether each waits for the caller; at most 200 are judged. With `next` there are more: give it as `after`',
  params: z.strictObject({
    organizationId: Id,
    paginationOptions: Pagination.omit({ before: true }).optional(),
  }),
  result: z.object({ activities: z.array(WaitingActivity), counts: WaitingCounts, next: IdOut.optional() }),
  errors: [],
  run: (ctx, { paginationOptions: page }) =>
    ctx.decisions.reviewTurn(ctx.caller.organization, () =>
      waitingActivities(ctx, page?.after, Number(page?.limit ?? MOST_SHOWN)),
    ),
});
