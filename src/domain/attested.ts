import type { Caller } from '../engine/context.ts';
import { attestedContact } from '../model/attested.ts';
import type { Writer } from '../store/types.ts';
import { markEmailVerified } from './user-changes.ts';

type Ctx = { store: Writer; now: number; submitter: Caller };

/**
 * After a login: the token of an attested stamp shows that the user receives what is sent to a contact. Nothing happens for other stamps,
 * and if the user has another contact by now.
 */
export async function markAttested({ store, now, submitter }: Ctx): Promise<void> {
  const { organizationId, id } = submitter.user;
  const user = await store.users.get(organizationId, id);
  if (user === undefined) return;
  const contact = attestedContact(user, submitter.credential);
  if (contact === 'email' && !user.emailVerified) await store.users.update(organizationId, id, { emailVerified: true }, now);
  if (contact === 'phone' && !user.phoneVerified) await store.users.update(organizationId, id, { phoneVerified: true }, now);
  if (submitter.verifiedEmail !== undefined) await markEmailVerified({ store, now }, user, submitter.verifiedEmail);
}
