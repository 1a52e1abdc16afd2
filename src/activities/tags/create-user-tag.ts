import { z } from 'zod';
import { createTag } from '../../domain/people/tags.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut, Label } from '../../wire/common.ts';
import { TagMembers } from '../../wire/tags.ts';

export const createUserTag = activity({
  kind: 'CREATE_USER_TAG',
  resource: 'USER',
  action: 'CREATE',
  summary: 'Create a tag and put it on users',
  params: v1(z.object({ userTagName: Label, userIds: TagMembers })),
  result: { key: 'createUserTagResult', shape: z.object({ userTagId: IdOut, userIds: z.array(IdOut) }) },
  errors: [createTag],
  async execute({ ctx, intent: { userTagName, userIds } }) {
    const members = { field: 'parameters.userIds', ids: userIds };
    const userTagId = await createTag(ctx, 'user', userTagName, 'parameters.userTagName', members);
    return { userTagId, userIds };
  },
});
