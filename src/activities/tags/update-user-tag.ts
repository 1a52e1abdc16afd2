import { z } from 'zod';
import { updateTag } from '../../domain/people/tags.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut, Label } from '../../wire/common.ts';
import { TagMembers } from '../../wire/tags.ts';

export const updateUserTag = activity({
  kind: 'UPDATE_USER_TAG',
  resource: 'USER',
  action: 'UPDATE',
  summary: 'Rename a user tag, put it on users and remove it from others',
  params: v1(z.object({ userTagId: Id, newUserTagName: Label.optional(), addUserIds: TagMembers, removeUserIds: TagMembers })),
  result: { key: 'updateUserTagResult', shape: z.object({ userTagId: IdOut }) },
  errors: [updateTag],
  async execute({ ctx, intent: { userTagId, newUserTagName, addUserIds, removeUserIds } }) {
    await updateTag(ctx, 'user', {
      id: userTagId,
      idField: 'parameters.userTagId',
      name: newUserTagName,
      nameField: 'parameters.newUserTagName',
      add: { field: 'parameters.addUserIds', ids: addUserIds },
      remove: { field: 'parameters.removeUserIds', ids: removeUserIds },
    });
    return { userTagId };
  },
});
