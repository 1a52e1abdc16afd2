import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid, textOf } from '../../base/errors.ts';
import { parseEmail, parsePhone } from '../../model/contacts.ts';

const PHONE = 'must be a phone number in E.164 form, such as +14155550100';

/**
 * The email as it is stored. Stored bodies have texts that older programs accepted, so schemas leave this check to the
 * activity.
 */
export function emailOf(text: string, field: string): string {
  const email = parseEmail(text);
  if (email !== undefined) return email;
  const description = textOf('INVALID_EMAIL');
  throw new ApiError('INVALID_EMAIL', `bad request body: ${field}: ${description}`, { violations: [{ field, description }] });
}
emailOf.errors = errorsOf('INVALID_EMAIL');

/** The phone number as it is stored, in E.164. */
export function phoneOf(text: string, field: string): string {
  const phone = parsePhone(text);
  if (phone === undefined) throw invalid(field, PHONE);
  return phone;
}
phoneOf.errors = errorsOf('REQUEST_INVALID');

type Contacts = { userEmail?: string | undefined; userPhoneNumber?: string | undefined };

/** The contacts of a user in a request, as they are stored; absent and '' are null. */
export function contactsOf({ userEmail, userPhoneNumber }: Contacts, at: string): { email: string | null; phone: string | null } {
  return {
    email: userEmail ? emailOf(userEmail, `${at}.userEmail`) : null,
    phone: userPhoneNumber ? phoneOf(userPhoneNumber, `${at}.userPhoneNumber`) : null,
  };
}
contactsOf.errors = errorsOf(phoneOf, emailOf);

/** For `check` of activities that make users. */
export function checkContacts(users: readonly Contacts[], field: string): void {
  for (const [i, user] of users.entries()) contactsOf(user, `${field}[${i}]`);
}
checkContacts.errors = errorsOf(contactsOf);
