import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import type { Activity, ActivityStatus } from '../../model/activity.ts';
import type { Page } from '../../store/types.ts';
import { Activity as ActivityShape } from '../../wire/activities.ts';
import { Id, Pagination, pageOf } from '../../wire/common.ts';
import { ActivityStatusName } from '../../wire/enums.ts';

const ActivityTypeName = z.string().regex(/^ACTIVITY_TYPE_[A-Z0-9_]{1,80}$/, 'must be an activity type');

/** How many activities are read at once, and the bytes of bodies after which a page ends: one body may have 1 MiB. */
const AT_ONCE = 25;
const MOST_BYTES = 8 * 1024 * 1024;

/** A page that ends early if its bodies are large. It has at least one activity, if there is any. */
async function somePage(list: (page: Page) => Promise<Activity[]>, { limit, before, after }: Page): Promise<Activity[]> {
  const backwards = before !== undefined && after === undefined;
  const found: Activity[] = [];
  let bytes = 0;
  for (let last: string | undefined; found.length < limit; ) {
    const wanted = Math.min(AT_ONCE, limit - found.length);
    const cursor = backwards ? { before: last ?? before } : { before, after: last ?? after };
    const some = await list({ limit: wanted, ...cursor });
    for (const activity of backwards ? some.toReversed() : some) {
      bytes += activity.body.length;
      if (bytes > MOST_BYTES && found.length > 0) return backwards ? found.reverse() : found;
      found.push(activity);
    }
    if (some.length < wanted) break;
    last = found.at(-1)!.id;
  }
  return backwards ? found.reverse() : found;
}

export const listActivities = query({
  name: 'list_activities',
  summary: 'Activities of the organization that are not archived, newest first; a page ends early after 8 MiB of request bodies',
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
    const found = await somePage(list, pageOf(paginationOptions));
    return { json: `{"activities":[${(await ctx.showActivities(found)).join(',')}]}` };
  },
});
