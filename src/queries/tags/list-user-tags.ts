import { z } from 'zod';
import { wireTimestamp } from '../../base/time.ts';
import { query } from '../../engine/query/declare.ts';
import { Id, IdOut, Timestamp } from '../../wire/common.ts';

const Tag = z.object({ tagId: IdOut, tagName: z.string(), tagType: z.string(), createdAt: Timestamp, updatedAt: Timestamp });

export const listUserTags = query({
  name: 'list_user_tags',
  summary: 'All user tags of the organization',
  params: z.object({ organizationId: Id }),
  result: z.object({ userTags: z.array(Tag) }),
  errors: [],
  async run({ organization, read }) {
    const tags = await read.tags.list(organization.id, 'user');
    return {
      userTags: tags.map(({ id, name, createdAt, updatedAt }) => ({
        tagId: id,
        tagName: name,
        tagType: 'TAG_TYPE_USER',
        createdAt: wireTimestamp(createdAt),
        updatedAt: wireTimestamp(updatedAt),
      })),
    };
  },
});
