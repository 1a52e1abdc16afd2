import { z } from 'zod';
import { query } from '../../engine/query.ts';
import { Activity } from '../../wire/activities.ts';
import { Id, Pagination, pageOf } from '../../wire/common.ts';
import { ActivityStatusName } from '../../wire/enums.ts';

const ActivityTypeName = z.string().regex(/^ACTIVITY_TYPE_[A-Z0-9_]{1,80}$/, 'must be an activity type');

export const listActivities = query({
  name: 'list_activities',
  summary: 'Activities of the organization, newest first',
  params: z.object({
    organizationId: Id,
    filterByStatus: z.array(ActivityStatusName).max(7).optional(),
    filterByType: z.array(ActivityTypeName).max(20).optional(),
    paginationOptions: Pagination.optional(),
  }),
  result: z.object({ activities: z.array(Activity) }),
  async run(ctx, { filterByStatus, filterByType, paginationOptions }) {
    const distinct = (names: string[] | undefined) => (names?.length ? [...new Set(names)] : undefined);
    const filter = { statuses: distinct(filterByStatus), types: distinct(filterByType) };
    const found = await ctx.read.activities.list(ctx.organization.id, filter, pageOf(paginationOptions));
    return { json: `{"activities":[${(await ctx.showActivities(found)).join(',')}]}` };
  },
});
