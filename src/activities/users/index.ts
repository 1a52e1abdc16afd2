import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createApiOnlyUsers } from './create-api-only-users.ts';
import { createUsers } from './create-users.ts';
import { deleteUsers } from './delete-users.ts';
import { updateUser } from './update-user.ts';
import { updateUserEmail } from './update-user-email.ts';
import { updateUserName } from './update-user-name.ts';
import { updateUserPhoneNumber } from './update-user-phone-number.ts';

export const users: readonly ActivityKind[] = [
  createApiOnlyUsers,
  createUsers,
  deleteUsers,
  updateUser,
  updateUserEmail,
  updateUserName,
  updateUserPhoneNumber,
];
