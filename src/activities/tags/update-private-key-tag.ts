import { z } from 'zod';
import { updateTag } from '../../domain/people/tags.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut, Label } from '../../wire/common.ts';
import { TagMembers } from '../../wire/tags.ts';

export const updatePrivateKeyTag = activity({
  kind: 'UPDATE_PRIVATE_KEY_TAG',
  resource: 'PRIVATE_KEY',
  action: 'UPDATE',
  summary: 'Rename a private key tag, put it on private keys and remove it from others',
  params: v1(
    z.object({
      privateKeyTagId: Id,
      newPrivateKeyTagName: Label.optional(),
      addPrivateKeyIds: TagMembers,
      removePrivateKeyIds: TagMembers,
    }),
  ),
  result: { key: 'updatePrivateKeyTagResult', shape: z.object({ privateKeyTagId: IdOut }) },
  errors: [updateTag],
  async execute({ ctx, intent: { privateKeyTagId, newPrivateKeyTagName, addPrivateKeyIds, removePrivateKeyIds } }) {
    await updateTag(ctx, 'private_key', {
      id: privateKeyTagId,
      idField: 'parameters.privateKeyTagId',
      name: newPrivateKeyTagName,
      nameField: 'parameters.newPrivateKeyTagName',
      add: { field: 'parameters.addPrivateKeyIds', ids: addPrivateKeyIds },
      remove: { field: 'parameters.removePrivateKeyIds', ids: removePrivateKeyIds },
    });
    return { privateKeyTagId };
  },
});
