import { z } from 'zod';
import { wireTimestamp } from '../../base/time.ts';
import { controlOf, standingsOf } from '../../domain/velocity/buckets.ts';
import { query } from '../../engine/query/declare.ts';
import { Id, pageOf } from '../../wire/common.ts';
import { BucketPages, VelocityBucket } from '../../wire/velocity-controls.ts';

export const listVelocityBuckets = query({
  name: 'list_velocity_buckets',
  summary: 'What a limit over time has counted, in each bucket. With `next` there may be more: give it as `after`',
  params: z.object({ organizationId: Id, velocityControlId: Id, paginationOptions: BucketPages.optional() }),
  result: z.object({ velocityBuckets: z.array(VelocityBucket), next: z.string().optional() }),
  errors: ['NOT_FOUND'],
  async run({ organization, read, now }, { velocityControlId, paginationOptions }) {
    const { terms } = await controlOf(read, organization.id, velocityControlId);
    const { limit } = pageOf({ limit: paginationOptions?.limit });
    const page = { limit, after: paginationOptions?.after };
    const { standings, next } = await standingsOf(read, terms, page, now);
    const velocityBuckets = standings.map(({ roomAt, ...standing }) => ({
      ...standing,
      ...(roomAt !== undefined && { roomAt: wireTimestamp(roomAt) }),
    }));
    return { velocityBuckets, ...(next !== undefined && { next }) };
  },
});
