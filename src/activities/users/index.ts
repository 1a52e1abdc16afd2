import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createUsers } from './create-users.ts';
import { deleteUsers } from './delete-users.ts';
import { updateUserName } from './update-user-name.ts';

export const users: readonly ActivityKind[] = [createUsers, deleteUsers, updateUserName];
