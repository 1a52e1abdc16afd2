import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { activitiesOf, oneSubject } from '../../domain/audit/subject.ts';
import { activityListing } from '../../engine/query/activity-listing.ts';
import { query } from '../../engine/query/declare.ts';
import type { Activity } from '../../model/activity.ts';
import type { Page } from '../../store/types.ts';
import { Activity as ActivityShape, Fingerprint } from '../../wire/activities.ts';
import { activityFilters, filterOf, subjectsOf } from '../../wire/audit.ts';
import { Id, Pagination, pageOf } from '../../wire/common.ts';

const oneOf = async (found: Promise<Activity | undefined>, { after, before }: Page): Promise<Activity[]> => {
  const one = await found;
  return one && (after === undefined || one.id < after) && (before === undefined || one.id > before) ? [one] : [];
};

export const listActivities = query({
  name: 'list_activities',
  summary:
    'Activities of the organization, newest first; a page ends after 8 MiB of request bodies. Archived ones are listed only by user, credential or wallet',
  params: z.object({
    ...{ organizationId: Id, ...activityFilters },
    /** The one with this body, archived or not. It goes with no other filter. */
    filterByFingerprint: Fingerprint.optional(),
    paginationOptions: Pagination.optional(),
  }),
  result: z.object({ activities: z.array(ActivityShape) }),
  readsDeleted: true,
  errors: ['REQUEST_INVALID'],
  async run({ organization: { id }, read, showActivities }, params) {
    const filter = filterOf(params);
    const subject = oneSubject(subjectsOf(params));
    const { filterByFingerprint: fingerprint } = params;
    const isNarrowed = [subject, ...Object.values(filter)].some((each) => each !== undefined);
    if (fingerprint !== undefined && isNarrowed)
      throw new ApiError('REQUEST_INVALID', 'give filterByFingerprint without other filters: it names one activity');
    const list = (page: Page) => {
      if (fingerprint !== undefined) return oneOf(read.activities.byFingerprint(id, fingerprint), page);
      return subject === undefined ? read.activities.list(id, filter, page) : activitiesOf(read, id, { subject, filter }, page);
    };
    const show = (activities: readonly Activity[]) => showActivities(activities, { inList: true });
    return activityListing('activities', { read: list, show }, pageOf(params.paginationOptions));
  },
});
