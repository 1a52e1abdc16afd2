import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { requireRoom } from '../../domain/limits.ts';
import { retagUsers } from '../../domain/tags.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut, Label } from '../../wire/common.ts';

export const createUserTag = activity({
  kind: 'CREATE_USER_TAG',
  resource: 'USER',
  action: 'CREATE',
  summary: 'Create a tag and put it on users',
  params: v1(z.object({ userTagName: Label, userIds: z.array(Id).max(1000) })),
  result: { key: 'createUserTagResult', shape: z.object({ userTagId: IdOut, userIds: z.array(IdOut) }) },
  errors: ['REQUEST_INVALID', 'NOT_FOUND', 'LIMIT_EXCEEDED'],
  async execute(ctx, { userTagName, userIds }) {
    const { organization, store, limits, now } = ctx;
    const [most, setting]: [number, string] =
      organization.parentId === null
        ? [limits.tags, 'LIMIT_TAGS']
        : [limits.tagsOfSubOrganization, 'LIMIT_TAGS_OF_SUB_ORGANIZATION'];
    requireRoom(await store.organizations.count(organization.id, 'tagCount'), 1, most, 'tags', setting);
    const id = ctx.ids.next();
    const made = await store.tags.insert({
      organizationId: organization.id,
      id,
      kind: 'user',
      name: userTagName,
      createdAt: now,
      updatedAt: now,
    });
    if (!made)
      throw invalid('parameters.userTagName', 'user tag label must be unique: the organization has a user tag of this name');
    await retagUsers(ctx, id, { field: 'parameters.userIds', userIds });
    return { userTagId: id, userIds };
  },
});
