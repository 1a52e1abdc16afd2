import { z } from 'zod';
import { wireTimestamp } from '../../base/time.ts';
import { controlOf } from '../../domain/velocity/buckets.ts';
import { entryIdOf, shownState } from '../../domain/velocity/entry-id.ts';
import { shown } from '../../domain/velocity/units.ts';
import { query } from '../../engine/query/declare.ts';
import { Id, Pagination, pageOf } from '../../wire/common.ts';
import { BucketName, VelocityEntry } from '../../wire/velocity-controls.ts';

export const listVelocityEntries = query({
  name: 'list_velocity_entries',
  summary:
    'The activities that a limit over time has counted in a bucket, oldest first. With `next` there may be more: give it as `after`, or the first one as `before` to go back',
  params: z.object({ organizationId: Id, velocityControlId: Id, bucket: BucketName, paginationOptions: Pagination.optional() }),
  result: z.object({ velocityEntries: z.array(VelocityEntry), next: z.string().optional() }),
  errors: ['NOT_FOUND'],
  async run({ organization, read }, { velocityControlId, bucket = '', paginationOptions }) {
    const { terms } = await controlOf(read, organization.id, velocityControlId);
    const page = pageOf(paginationOptions);
    const found = await read.velocityCounters.entries(organization.id, velocityControlId, bucket, page);
    const velocityEntries = found.map((entry) => {
      const { activityId, amount, count, createdAt } = entry;
      const what = { amount: shown(BigInt(amount), terms.comparison.one), count: String(count), state: shownState(entry.state) };
      return { entryId: entryIdOf(entry), activityId, bucket, ...what, createdAt: wireTimestamp(createdAt) };
    });
    // What `before` names comes after its page.
    const more = found.length === page.limit || (found.length > 0 && page.before !== undefined);
    return { velocityEntries, ...(more && { next: found.at(-1)!.activityId }) };
  },
});
