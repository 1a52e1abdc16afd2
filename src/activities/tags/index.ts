import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createUserTag } from './create-user-tag.ts';
import { deleteUserTags } from './delete-user-tags.ts';
import { updateUserTag } from './update-user-tag.ts';

export const tags: readonly ActivityKind[] = [createUserTag, deleteUserTags, updateUserTag];
