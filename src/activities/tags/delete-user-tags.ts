import { z } from 'zod';
import { deleteTags } from '../../domain/people/tags.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { TagIds } from '../../wire/tags.ts';

export const deleteUserTags = activity({
  kind: 'DELETE_USER_TAGS',
  resource: 'USER',
  action: 'DELETE',
  summary: 'Delete user tags and remove them from all users',
  params: v1(z.object({ userTagIds: TagIds })),
  result: { key: 'deleteUserTagsResult', shape: z.object({ userTagIds: z.array(IdOut), userIds: z.array(IdOut) }) },
  errors: [deleteTags],
  async execute({ ctx, intent: { userTagIds } }) {
    const userIds = await deleteTags(ctx, 'user', { field: 'parameters.userTagIds', ids: userTagIds });
    return { userTagIds, userIds };
  },
});
