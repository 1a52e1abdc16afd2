import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import { Id } from '../../wire/common.ts';
import { TvcOperator, viewOperator } from '../../wire/tvc.ts';

export const listTvcOperators = query({
  name: 'list_tvc_operators',
  summary: 'Operators of the organization’s verifiable apps, in the order of their creation',
  params: z.object({ organizationId: Id }),
  result: z.object({ tvcOperators: z.array(TvcOperator) }),
  errors: [],
  run: async ({ organization, read }) =>
    listing(
      {
        name: 'tvcOperators',
        page: (page) => read.tvcOperators.page(organization.id, page),
        show: (some) => some.map(viewOperator),
      },
      undefined,
    ),
});
