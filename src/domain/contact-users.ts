import { ApiError, invalid } from '../base/errors.ts';
import type { Organization } from '../model/organization.ts';
import type { User } from '../model/user.ts';
import type { Reader } from '../store/types.ts';

type Kind = 'email' | 'phone';

const WORDS = { email: 'email', phone: 'phone number' } as const;

/**
 * The user of an organization that a contact, as it is stored, belongs to. Several may have one: whoever verified it comes before those
 * who did not, and between equals nobody is chosen. Throws NOT_FOUND, and REQUEST_INVALID if there are several.
 */
export async function userOfContact(
  read: Pick<Reader, 'users'>,
  { id, parentId }: Pick<Organization, 'id' | 'parentId'>,
  kind: Kind,
  contact: string,
  field: string,
): Promise<User> {
  for (const verified of [true, false]) {
    const [user, another] = await read.users.withContact(id, parentId, { kind, contact, verified }, 2);
    if (another !== undefined)
      throw invalid(field, `several users of this organization have this ${WORDS[kind]}: give it to one, or let one verify it`);
    if (user !== undefined) return user;
  }
  throw new ApiError('NOT_FOUND', `user not found: ${field} is no ${WORDS[kind]} of a user of this organization`);
}
