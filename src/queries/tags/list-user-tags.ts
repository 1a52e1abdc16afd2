import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import { Id, Pagination } from '../../wire/common.ts';
import { Tag, viewTag } from '../../wire/tags.ts';

export const listUserTags = query({
  name: 'list_user_tags',
  summary: 'User tags of the organization in the order of their creation: all, or a page',
  params: z.object({ organizationId: Id, paginationOptions: Pagination.optional() }),
  result: z.object({ userTags: z.array(Tag) }),
  errors: [],
  run: async ({ organization, read }, { paginationOptions }) =>
    listing(
      {
        name: 'userTags',
        page: (page) => read.tags.page(organization.id, 'user', page),
        show: (some) => some.map(viewTag),
      },
      paginationOptions,
    ),
});
