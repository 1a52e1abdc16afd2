import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut, Label } from '../../wire/common.ts';

export const updateUserName = activity({
  kind: 'UPDATE_USER_NAME',
  resource: 'USER',
  action: 'UPDATE',
  summary: 'Rename a user; several users may have the same name',
  params: v1(z.object({ userId: Id, userName: Label })),
  result: { key: 'updateUserNameResult', shape: z.object({ userId: IdOut }) },
  errors: ['REQUEST_INVALID', 'NOT_FOUND'],
  async execute({ organization, store, now }, { userId, userName }) {
    if (!(await store.users.update(organization.id, userId, { name: userName }, now)))
      throw new ApiError('NOT_FOUND', `user not found: parameters.userId names ${userId}`);
    return { userId };
  },
});
