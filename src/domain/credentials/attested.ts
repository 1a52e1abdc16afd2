import type { Caller } from '../../engine/context.ts';
import { attestedContact } from '../../model/attested.ts';
import type { Writer } from '../../store/types.ts';
import { markEmailVerified, markVerified } from '../people/user-changes.ts';

type Ctx = { store: Writer; now: number; submitter: Caller };

/**
 * Called after a login: the token of an attested stamp proves that the user receives messages to a contact. Does nothing for
 * other stamps, or if the user's contact has changed meanwhile.
 */
export async function markAttested(ctx: Ctx): Promise<void> {
  const { user, credential, verifiedEmail } = ctx.submitter;
  const contact = attestedContact(user, credential);
  if (contact !== undefined) await markVerified(ctx, user, contact);
  if (verifiedEmail !== undefined) await markEmailVerified(ctx, user, verifiedEmail);
}
