import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError } from '../../base/errors.ts';
import type { Organization } from '../../model/organization.ts';
import type { User } from '../../model/user.ts';
import type { Reader } from '../../store/types.ts';

/** `field`: where the request names the user. */
export const userNotFound = (field: string, userId: string): ApiError =>
  new ApiError('NOT_FOUND', `user not found: ${field} names ${userId}`);
userNotFound.errors = errorsOf('NOT_FOUND');

/** The user of an organization whom a request names. Throws NOT_FOUND. */
export async function userNamed(
  { users }: Pick<Reader, 'users'>,
  { id }: Pick<Organization, 'id'>,
  userId: string,
  field = 'parameters.userId',
): Promise<User> {
  const user = await users.get(id, userId);
  if (user === undefined) throw userNotFound(field, userId);
  return user;
}
userNamed.errors = errorsOf('NOT_FOUND');
