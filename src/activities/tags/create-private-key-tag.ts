import { z } from 'zod';
import { createTag } from '../../domain/people/tags.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut, Label } from '../../wire/common.ts';
import { TagMembers } from '../../wire/tags.ts';

export const createPrivateKeyTag = activity({
  kind: 'CREATE_PRIVATE_KEY_TAG',
  resource: 'PRIVATE_KEY',
  action: 'CREATE',
  summary: 'Create a tag and put it on private keys',
  params: v1(z.object({ privateKeyTagName: Label, privateKeyIds: TagMembers })),
  result: { key: 'createPrivateKeyTagResult', shape: z.object({ privateKeyTagId: IdOut, privateKeyIds: z.array(IdOut) }) },
  errors: [createTag],
  async execute({ ctx, intent: { privateKeyTagName, privateKeyIds } }) {
    const members = { field: 'parameters.privateKeyIds', ids: privateKeyIds };
    const privateKeyTagId = await createTag(ctx, 'private_key', privateKeyTagName, 'parameters.privateKeyTagName', members);
    return { privateKeyTagId, privateKeyIds };
  },
});
