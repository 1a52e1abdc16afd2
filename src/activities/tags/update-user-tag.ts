import { z } from 'zod';
import { ApiError, invalid } from '../../base/errors.ts';
import { retagUsers } from '../../domain/tags.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut, Label } from '../../wire/common.ts';

const users = z.array(Id).max(1000);

export const updateUserTag = activity({
  kind: 'UPDATE_USER_TAG',
  resource: 'USER',
  action: 'UPDATE',
  summary: 'Rename a user tag, put it on users and take it off others',
  params: v1(z.object({ userTagId: Id, newUserTagName: Label.optional(), addUserIds: users, removeUserIds: users })),
  result: { key: 'updateUserTagResult', shape: z.object({ userTagId: IdOut }) },
  errors: ['REQUEST_INVALID', 'NOT_FOUND'],
  async execute(ctx, { userTagId, newUserTagName, addUserIds, removeUserIds }) {
    const tag = await ctx.store.tags.get(ctx.organization.id, 'user', userTagId);
    if (tag === undefined) throw new ApiError('NOT_FOUND', `user tag not found: parameters.userTagId names ${userTagId}`);
    if (newUserTagName !== undefined && !(await ctx.store.tags.rename(tag, newUserTagName, ctx.now)))
      throw invalid('parameters.newUserTagName', 'user tag label must be unique: the organization has a user tag of this name');
    const add = { field: 'parameters.addUserIds', userIds: addUserIds };
    const remove = { field: 'parameters.removeUserIds', userIds: removeUserIds };
    await retagUsers(ctx, userTagId, add, remove);
    return { userTagId };
  },
});
