import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { query } from '../../engine/query/declare.ts';
import { Activity } from '../../wire/activities.ts';
import { Id } from '../../wire/common.ts';

export const getActivity = query({
  name: 'get_activity',
  summary: 'One activity with its votes and its result',
  params: z.object({ organizationId: Id, activityId: Id }),
  result: z.object({ activity: Activity }),
  // Published clients name the parent until their login is complete, also while they wait for a login with several factors.
  findsOwnSubOrganization: true,
  readsDeleted: true,
  errors: ['NOT_FOUND'],
  async run(ctx, { activityId }) {
    const activity = await ctx.read.activities.get(ctx.organization.id, activityId);
    if (activity === undefined) throw new ApiError('NOT_FOUND', `activity not found: activityId names ${activityId}`);
    const [text] = await ctx.showActivities([activity], { inList: false });
    return { json: `{"activity":${text}}` };
  },
});
