import { z } from 'zod';
import { changeUser } from '../../domain/people/user-changes.ts';
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
  errors: [changeUser],
  async execute({ ctx, intent: { userId, userName } }) {
    await changeUser(ctx, userId, { name: userName });
    return { userId };
  },
});
