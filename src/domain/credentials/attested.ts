import type { Caller } from '../../engine/context.ts';
import { attestedContact } from '../../model/attested.ts';
import type { Writer } from '../../store/types.ts';
import { markEmailVerified, markVerified } from '../people/user-changes.ts';

type Ctx = { store: Writer; now: number; submitter: Caller };

/**
 * After a login: the token of an attested stamp shows that the user receives what is sent to a contact. Nothing happens for other stamps,
 * and if the user has another contact by now.
 */
export async function markAttested(ctx: Ctx): Promise<void> {
  const { user, credential, verifiedEmail } = ctx.submitter;
  const contact = attestedContact(user, credential);
  if (contact !== undefined) await markVerified(ctx, user, contact);
  if (verifiedEmail !== undefined) await markEmailVerified(ctx, user, verifiedEmail);
}
