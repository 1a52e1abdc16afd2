import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

export const deleteUserTags = activity({
  kind: 'DELETE_USER_TAGS',
  resource: 'USER',
  action: 'DELETE',
  summary: 'Delete user tags, and take them off everybody',
  params: v1(z.object({ userTagIds: z.array(Id).min(1, 'must name at least one tag').max(100) })),
  result: { key: 'deleteUserTagsResult', shape: z.object({ userTagIds: z.array(IdOut), userIds: z.array(IdOut) }) },
  errors: ['NOT_FOUND'],
  async execute(ctx, { userTagIds }) {
    const { organization, store, now } = ctx;
    const users = new Set<string>();
    const tagIds = new Set(userTagIds);
    for (const id of tagIds) for (const member of await store.tags.members(organization.id, id)) users.add(member);
    for (const id of tagIds)
      if (!(await store.tags.remove(organization.id, 'user', id, now)))
        throw new ApiError('NOT_FOUND', `user tag not found: parameters.userTagIds names ${id}`);
    return { userTagIds, userIds: [...users] };
  },
});
