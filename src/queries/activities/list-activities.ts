import { z } from 'zod';
import { activityListing } from '../../engine/query/activity-listing.ts';
import { query } from '../../engine/query/declare.ts';
import type { Activity, ActivityStatus } from '../../model/activity.ts';
import type { Page } from '../../store/types.ts';
import { Activity as ActivityShape } from '../../wire/activities.ts';
import { Id, Pagination, pageOf } from '../../wire/common.ts';
import { ActivityStatusName } from '../../wire/enums.ts';

const ActivityTypeName = z.string().regex(/^ACTIVITY_TYPE_[A-Z0-9_]{1,80}$/, 'must be an activity type');

export const listActivities = query({
  name: 'list_activities',
  summary: 'Activities of the organization that are not archived, newest first; a page ends after 8 MiB of request bodies',
  params: z.object({
    organizationId: Id,
    filterByStatus: z.array(ActivityStatusName).max(7).optional(),
    filterByType: z.array(ActivityTypeName).max(20).optional(),
    paginationOptions: Pagination.optional(),
  }),
  result: z.object({ activities: z.array(ActivityShape) }),
  readsDeleted: true,
  errors: [],
  async run(ctx, { filterByStatus, filterByType, paginationOptions }) {
    const distinct = <T>(names: T[] | undefined) => (names?.length ? [...new Set(names)] : undefined);
    const filter = { statuses: distinct(filterByStatus as ActivityStatus[] | undefined), types: distinct(filterByType) };
    const list = (page: Page) => ctx.read.activities.list(ctx.organization.id, filter, page);
    const show = (activities: readonly Activity[]) => ctx.showActivities(activities, { inList: true });
    return activityListing('activities', { read: list, show }, pageOf(paginationOptions));
  },
});
