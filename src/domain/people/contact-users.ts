import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { Organization } from '../../model/organization.ts';
import type { User } from '../../model/user.ts';
import type { Reader } from '../../store/types.ts';

type Kind = 'email' | 'phone';

const WORDS = { email: 'email', phone: 'phone number' } as const;

type Place = Pick<Organization, 'id'>;

/**
 * The users of an organization to whom a contact may belong, at most two. Users who verified it come before users who did not.
 */
async function holders(read: Pick<Reader, 'users'>, { id }: Place, kind: Kind, contact: string): Promise<User[]> {
  const verified = await read.users.withContact(id, { kind, contact, verified: true }, 2);
  return verified.length > 0 ? verified : read.users.withContact(id, { kind, contact, verified: false }, 2);
}

/** The user whom `userOfContact` finds, for answers that do not reveal whether there is one. */
export async function findUserOfContact(
  read: Pick<Reader, 'users'>,
  place: Place,
  kind: Kind,
  contact: string,
): Promise<User | undefined> {
  const [user, another] = await holders(read, place, kind, contact);
  return another === undefined ? user : undefined;
}

/**
 * The user of an organization to whom a contact, as it is stored, belongs. Several users may have it. Users who verified it
 * come before users who did not. Between equals, none is chosen. Throws NOT_FOUND, and REQUEST_INVALID if there are several.
 */
export async function userOfContact(
  read: Pick<Reader, 'users'>,
  place: Place,
  kind: Kind,
  contact: string,
  field: string,
): Promise<User> {
  const [user, another] = await holders(read, place, kind, contact);
  if (another !== undefined)
    throw invalid(
      field,
      `several users of this organization have this ${WORDS[kind]}: leave it with one user, or let one user verify it`,
    );
  if (user === undefined)
    throw new ApiError('NOT_FOUND', `user not found: ${field} is not the ${WORDS[kind]} of a user of this organization`);
  return user;
}
userOfContact.errors = errorsOf('REQUEST_INVALID', 'NOT_FOUND');
