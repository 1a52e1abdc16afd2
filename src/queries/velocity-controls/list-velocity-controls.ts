import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { Id, Pagination, pageOf } from '../../wire/common.ts';
import { PageInfo } from '../../wire/history.ts';
import { VelocityControl, viewVelocityControl } from '../../wire/velocity-controls.ts';

export const listVelocityControls = query({
  name: 'list_velocity_controls',
  summary: 'A page of the limits over time of the organization, in the order of their creation',
  params: z.object({ organizationId: Id, paginationOptions: Pagination.optional() }),
  result: z.object({ velocityControls: z.array(VelocityControl), pageInfo: PageInfo }),
  errors: [],
  async run({ organization, read }, { paginationOptions }) {
    const { limit, before, after } = pageOf(paginationOptions);
    const found = await read.velocityControls.page(organization.id, { limit: limit + 1, before, after });
    const goesBack = before !== undefined && after === undefined;
    const shown = goesBack ? found.slice(-limit) : found.slice(0, limit);
    const more = found.length > limit;
    return {
      velocityControls: shown.map(viewVelocityControl),
      pageInfo: {
        hasNextPage: goesBack || more,
        hasPreviousPage: goesBack ? more : after !== undefined,
        ...(shown.length > 0 && { startCursor: shown[0]!.id, endCursor: shown.at(-1)!.id }),
      },
    };
  },
});
