import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import { Id, Pagination } from '../../wire/common.ts';
import { Tag, viewTag } from '../../wire/tags.ts';

export const listPrivateKeyTags = query({
  name: 'list_private_key_tags',
  summary: 'Private key tags of the organization in the order of their creation: all, or a page',
  params: z.object({ organizationId: Id, paginationOptions: Pagination.optional() }),
  result: z.object({ privateKeyTags: z.array(Tag) }),
  errors: [],
  run: async ({ organization, read }, { paginationOptions }) =>
    listing(
      {
        name: 'privateKeyTags',
        page: (page) => read.tags.page(organization.id, 'private_key', page),
        show: (some) => some.map(viewTag),
      },
      paginationOptions,
    ),
});
