import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createPrivateKeyTag } from './create-private-key-tag.ts';
import { createUserTag } from './create-user-tag.ts';
import { deletePrivateKeyTags } from './delete-private-key-tags.ts';
import { deleteUserTags } from './delete-user-tags.ts';
import { updatePrivateKeyTag } from './update-private-key-tag.ts';
import { updateUserTag } from './update-user-tag.ts';

export const tags: readonly ActivityKind[] = [
  createPrivateKeyTag,
  createUserTag,
  deletePrivateKeyTags,
  deleteUserTags,
  updatePrivateKeyTag,
  updateUserTag,
];
