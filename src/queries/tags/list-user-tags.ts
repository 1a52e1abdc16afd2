import { z } from 'zod';
import { wireTimestamp } from '../../base/time.ts';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import type { Tag as TagModel } from '../../model/tag.ts';
import { Id, IdOut, Pagination, Timestamp } from '../../wire/common.ts';

const Tag = z.object({ tagId: IdOut, tagName: z.string(), tagType: z.string(), createdAt: Timestamp, updatedAt: Timestamp });

function viewTag({ id, name, createdAt, updatedAt }: TagModel): z.output<typeof Tag> {
  return {
    tagId: id,
    tagName: name,
    tagType: 'TAG_TYPE_USER',
    createdAt: wireTimestamp(createdAt),
    updatedAt: wireTimestamp(updatedAt),
  };
}

export const listUserTags = query({
  name: 'list_user_tags',
  summary: 'User tags of the organization in the order of their creation: all, or a page',
  params: z.object({ organizationId: Id, paginationOptions: Pagination.optional() }),
  result: z.object({ userTags: z.array(Tag) }),
  errors: [],
  run: async ({ organization, read }, { paginationOptions }) =>
    listing(
      { name: 'userTags', page: (page) => read.tags.page(organization.id, 'user', page), show: (some) => some.map(viewTag) },
      paginationOptions,
    ),
});
