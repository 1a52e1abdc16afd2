import { errorsOf } from '../../base/declared-errors.ts';
import { invalid } from '../../base/errors.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import { type ClientSignature, isSignedBy, readUsage, type TokenUsage } from '../../login/tokens/client-signature.ts';
import { emailKey, parseEmail, parsePhone } from '../../model/contacts.ts';
import { holdsIn, type TokenPurpose, type VerificationToken } from '../../model/token.ts';

type Reading = Pick<ExecuteContext<'none'>, 'tokens' | 'organization' | 'now'>;
type Using = Pick<ExecuteContext<'none'>, 'store' | 'now'>;

const FIELD = 'parameters.verificationToken';

const FOR_SUB_ORGANIZATIONS =
  'was issued by the auth proxy and is valid only in sub-organizations: request and verify a code without the proxy';

/** A valid token that this organization or its parent issued, and that may be used for users of `forUserOf`. */
export async function readToken(
  { tokens, organization, now }: Reading,
  text: string,
  forUserOf: { parentId: string | null } = organization,
): Promise<VerificationToken> {
  const token = await tokens(text);
  if (token === undefined || (token.organizationId !== organization.id && token.organizationId !== organization.parentId))
    throw invalid(FIELD, 'is not a verification token of this organization or of its parent');
  if (token.expiresAt <= now) throw invalid(FIELD, 'has expired: verify the contact again');
  if (!holdsIn(token, forUserOf)) throw invalid(FIELD, FOR_SUB_ORGANIZATIONS);
  return token;
}
readToken.errors = errorsOf('REQUEST_INVALID');

const SIGNATURE = 'parameters.clientSignature';

const USAGES = {
  USAGE_TYPE_SIGNUP: ['a sign-up', 'signupV2'],
  USAGE_TYPE_LOGIN: ['a login', 'login'],
} as const;

/**
 * The usage that the holder of the token's key signed, for the caller to compare. Undefined for a token that is bound to no
 * key. Throws REQUEST_INVALID if a signature is missing, or is not for this token and use.
 */
export async function signedUsage(
  token: VerificationToken,
  given: ClientSignature | undefined,
  type: TokenUsage['type'],
): Promise<TokenUsage['about'] | undefined> {
  if (token.publicKey === null) {
    if (given !== undefined) throw invalid(SIGNATURE, 'must be left out: the token is not bound to a key');
    return undefined;
  }
  if (given === undefined) throw invalid(SIGNATURE, 'is required: the token is bound to a key');
  if (!(await isSignedBy(token.publicKey, given)))
    throw invalid(SIGNATURE, 'is not a signature of the message by the key that the token is bound to');
  const usage = readUsage(given.message);
  const [what, member] = USAGES[type];
  if (usage?.type !== type || usage.tokenId.toLowerCase() !== token.id)
    throw invalid(`${SIGNATURE}.message`, `must be for ${what} with this token: tokenId, type ${type}, and ${member}`);
  return usage.about;
}
signedUsage.errors = errorsOf('REQUEST_INVALID');

type Contacts = { email: string | null; phone: string | null };

/** Which of the contacts, as they are stored, the token is about. */
export function contactOf(
  { type, contact }: Pick<VerificationToken, 'type' | 'contact'>,
  { email, phone }: Contacts,
): 'email' | 'phone' | undefined {
  if (type !== 'OTP_TYPE_EMAIL') return phone !== null && parsePhone(contact) === phone ? 'phone' : undefined;
  const verified = parseEmail(contact);
  return email !== null && verified !== undefined && emailKey(verified) === emailKey(email) ? 'email' : undefined;
}

/** Other processes may be a little behind this one's time. A deleted token has expired for all of them. */
const FORGOTTEN_AFTER = 86_400_000;

/** One use makes one row, so deleting a few rows with each keeps the table from growing. */
const SWEPT_AT_ONCE = 20;

/** A token works once for each purpose, whichever caller uses it first. */
export async function useToken({ store, now }: Using, token: VerificationToken, purpose: TokenPurpose): Promise<void> {
  const { organizationId, id: tokenId, expiresAt } = token;
  await store.tokenUses.sweep(organizationId, now - FORGOTTEN_AFTER, SWEPT_AT_ONCE);
  if (!(await store.tokenUses.insert({ organizationId, tokenId, purpose, expiresAt })))
    throw invalid(FIELD, 'was already used for this: verify the contact again');
}
useToken.errors = errorsOf('REQUEST_INVALID');

/** The token that comes with a new contact of a user. Undefined if there is none. */
export async function tokenOfContact(
  ctx: Reading,
  text: string | undefined,
  contacts: Contacts,
): Promise<VerificationToken | undefined> {
  if (text === undefined) return undefined;
  const token = await readToken(ctx, text);
  if (contactOf(token, contacts) === undefined) throw invalid(FIELD, 'was issued for another contact');
  return token;
}
tokenOfContact.errors = errorsOf(readToken);
