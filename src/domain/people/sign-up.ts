import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { errorsOf } from '../../base/declared-errors.ts';
import { invalid } from '../../base/errors.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import type { ClientSignature } from '../../login/tokens/client-signature.ts';
import { parseEmail, parsePhone } from '../../model/contacts.ts';
import type { VerificationToken } from '../../model/token.ts';
import { SignUpUsage } from '../../wire/tokens.ts';
import type { RootUserParamsV8 } from '../../wire/users.ts';
import { contactOf, readToken, signedUsage } from '../otp/verification-token.ts';
import { contactsOf } from './contacts.ts';
import type { UserToMake } from './users.ts';

type RootUser = z.output<typeof RootUserParamsV8>;

export type SignUp = {
  rootUsers: readonly RootUser[];
  verificationToken?: string | undefined;
  clientSignature?: ClientSignature | undefined;
  /** Also accepts tokens of the first version of VERIFY_OTP. */
  legacyTokens?: true;
};

const TOKEN = 'parameters.verificationToken';
const SIGNATURE = 'parameters.clientSignature';

/** The user whose contact the token is about, and which contact that is. */
function userOf(token: VerificationToken, users: readonly RootUser[]): { index: number; contact: 'email' | 'phone' } {
  const [found, ...more] = users.flatMap((user, index) => {
    const contact = contactOf(token, contactsOf(user, `parameters.rootUsers[${index}]`));
    return contact === undefined ? [] : [{ index, contact }];
  });
  if (found === undefined) throw invalid(TOKEN, 'its contact is not the email or phone number of a root user');
  if (more.length > 0) throw invalid(TOKEN, 'its contact belongs to several root users: give it to one');
  return found;
}

const isSame = (a: string, b: string, parse: (text: string) => string | undefined): boolean =>
  (a === '') === (b === '') && parse(a) === parse(b);

/** Compares the meaning: older clients leave out empty lists, and each client writes members in its own order. */
function isAbout(user: RootUser, about: unknown): boolean {
  const parsed = SignUpUsage.safeParse(about);
  if (!parsed.success) return false;
  const { email, phoneNumber, ...credentials } = parsed.data;
  const { apiKeys, authenticators, oauthProviders, userEmail = '', userPhoneNumber = '' } = user;
  return (
    isDeepStrictEqual(credentials, { apiKeys, authenticators, oauthProviders }) &&
    isSame(email, userEmail, parseEmail) &&
    isSame(phoneNumber, userPhoneNumber, parsePhone)
  );
}

async function checkSignature(token: VerificationToken, given: ClientSignature | undefined, user: RootUser): Promise<void> {
  const about = await signedUsage(token, given, 'USAGE_TYPE_SIGNUP');
  if (about && !isAbout(user, about))
    throw invalid(`${SIGNATURE}.message`, 'must have the contacts and credentials of the user who signs up');
}

/** The root users to make. The contact that a token proves is marked as verified. Writes nothing: `useToken` does. */
export async function prepareSignUp(
  ctx: Pick<ExecuteContext<'none'>, 'tokens' | 'organization' | 'now'>,
  { rootUsers, verificationToken, clientSignature, legacyTokens }: SignUp,
): Promise<{ users: readonly UserToMake[]; token?: VerificationToken }> {
  if (verificationToken === undefined) {
    if (clientSignature !== undefined) throw invalid(SIGNATURE, 'is only valid with a verificationToken: send both or neither');
    return { users: rootUsers };
  }
  // The token is for a user of the new sub-organization.
  const token = await readToken(ctx, verificationToken, { parentId: ctx.organization.id });
  if (token.kind === 'legacy' && !legacyTokens) throw invalid(TOKEN, 'this version accepts only tokens of VERIFY_OTP_V2');
  const { index, contact } = userOf(token, rootUsers);
  await checkSignature(token, clientSignature, rootUsers[index]!);
  const verified = contact === 'email' ? { emailVerified: true } : { phoneVerified: true };
  return { users: rootUsers.map((user, i) => (i === index ? { ...user, ...verified } : user)), token };
}
prepareSignUp.errors = errorsOf(readToken, contactsOf, signedUsage);
