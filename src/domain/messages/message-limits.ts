import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError } from '../../base/errors.ts';
import type { ExecuteContext, PrepareContext } from '../../engine/context.ts';
import { mailboxOf } from '../../model/contacts.ts';
import { topLevelIdOf } from '../../model/organization.ts';
import { CONTACT_WINDOW_MS } from '../../model/otp.ts';
import { type Allowance, requireLeft, spend } from '../limits/rates.ts';

type Everywhere = Pick<ExecuteContext<'none'>, 'organization' | 'submitter' | 'limits' | 'now' | 'rateKey'>;

/** The one text for every caller who asks for too many codes. `retryAfterMs`: when there is room again. */
export const tooManyCodes = (why: string, retryAfterMs: number): ApiError =>
  new ApiError('MAX_OTP_INITIATED', `Max number of OTPs have been initiated: ${why}`, {
    retryAfterMs: Math.min(CONTACT_WINDOW_MS, Math.max(1, retryAfterMs)),
  });

/**
 * The allowances that a message to a contact uses. A contact is counted for a top-level organization and all its
 * sub-organizations together, however the contact is written. Messages by users of sub-organizations are counted separately. A
 * stranger who signed up must not use up the codes by which the application logs other users in. They have a limit for all
 * contacts, too.
 */
function allowancesOf({ organization, submitter, limits, now }: Everywhere, contacts: readonly string[]): Allowance[] {
  const topLevelId = topLevelIdOf(organization);
  const isBelow = submitter.organization.parentId !== null;
  const times = { windowMs: CONTACT_WINDOW_MS, now };
  const { otpInitiations, messagesOfSubOrganization } = limits;
  const toContact = `at most ${otpInitiations} codes, keys and invitations in ten minutes for one contact, in an organization and its sub-organizations (LIMIT_OTP_INITIATIONS)`;
  const fromBelow = `at most ${messagesOfSubOrganization} messages in ten minutes for the users of one sub-organization (LIMIT_MESSAGES_OF_SUB_ORGANIZATION)`;
  return contacts.flatMap((contact) => {
    const ofContact: Allowance = {
      scope: isBelow ? 'messages-to-contact-from-below' : 'messages-to-contact',
      key: `${topLevelId} ${mailboxOf(contact)}`,
      most: otpInitiations,
      ...times,
      over: (retryAfterMs) => tooManyCodes(toContact, retryAfterMs),
    };
    const ofSender: Allowance = {
      scope: 'messages-of-sub-organization',
      key: submitter.organization.id,
      most: messagesOfSubOrganization,
      ...times,
      over: (retryAfterMs) => tooManyCodes(fromBelow, retryAfterMs),
    };
    return isBelow ? [ofContact, ofSender] : [ofContact];
  });
}

/**
 * For `prepare`: throws MAX_OTP_INITIATED where `spendMessages` would, as far as it can be known. Called before any other work
 * for the message.
 */
export async function checkMessages(
  ctx: Everywhere & Pick<PrepareContext<'none'>, 'read'>,
  ...contacts: string[]
): Promise<void> {
  for (const allowance of allowancesOf(ctx, contacts))
    await requireLeft(ctx.read, allowance, ctx.rateKey(allowance.scope, allowance.key));
}
checkMessages.errors = errorsOf('MAX_OTP_INITIATED');

/** For `execute`: counts a message to each contact. Throws MAX_OTP_INITIATED. */
export const spendMessages = (ctx: Everywhere & Pick<ExecuteContext<'none'>, 'store'>, ...contacts: string[]): Promise<void> =>
  spend(ctx, ...allowancesOf(ctx, contacts));
spendMessages.errors = errorsOf('MAX_OTP_INITIATED');
