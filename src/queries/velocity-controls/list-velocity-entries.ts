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
    'The activities that a limit over time has counted in a bucket, oldest first. With `next` there may be more: give it as `after`',
  params: z.object({ organizationId: Id, velocityControlId: Id, bucket: BucketName, paginationOptions: Pagination.optional() }),
  result: z.object({ velocityEntries: z.array(VelocityEntry), next: z.string().optional() }),
  errors: ['NOT_FOUND'],
  async run({ organization, read }, { velocityControlId, bucket = '', paginationOptions }) {
    const { terms } = await controlOf(read, organization.id, velocityControlId);
    const { limit, after } = pageOf(paginationOptions);
    const found = await read.velocityCounters.entries(organization.id, velocityControlId, bucket, { limit, after });
    const velocityEntries = found.map((entry) => {
      const { activityId, amount, count, createdAt } = entry;
      const what = { amount: shown(BigInt(amount), terms.comparison.one), count: String(count), state: shownState(entry.state) };
      return { entryId: entryIdOf(entry), activityId, bucket, ...what, createdAt: wireTimestamp(createdAt) };
    });
    return { velocityEntries, ...(found.length === limit && { next: found.at(-1)!.activityId }) };
  },
});
