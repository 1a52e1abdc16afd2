import { z } from 'zod';
import { deleteTags } from '../../domain/people/tags.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { TagIds } from '../../wire/tags.ts';

export const deletePrivateKeyTags = activity({
  kind: 'DELETE_PRIVATE_KEY_TAGS',
  resource: 'PRIVATE_KEY',
  action: 'DELETE',
  summary: 'Delete private key tags and remove them from all keys',
  params: v1(z.object({ privateKeyTagIds: TagIds })),
  result: {
    key: 'deletePrivateKeyTagsResult',
    shape: z.object({ privateKeyTagIds: z.array(IdOut), privateKeyIds: z.array(IdOut) }),
  },
  errors: [deleteTags],
  async execute({ ctx, intent: { privateKeyTagIds } }) {
    const privateKeyIds = await deleteTags(ctx, 'private_key', { field: 'parameters.privateKeyTagIds', ids: privateKeyTagIds });
    return { privateKeyTagIds, privateKeyIds };
  },
});
