import { ApiError, invalid } from '../../base/errors.ts';
import { parseStampPublicKey } from '../../crypto/stamp.ts';
import { SESSION_PROFILE_PARAM } from '../../domain/credentials/session-profiles.ts';
import { logIn } from '../../domain/credentials/sessions.ts';
import { featureOf, kindOf } from '../../domain/otp/otp.ts';
import { readToken, signedUsage, useToken } from '../../domain/otp/verification-token.ts';
import { findUserOfContact } from '../../domain/people/contact-users.ts';
import { requireFeature } from '../../domain/people/features.ts';
import { markVerified } from '../../domain/people/user-changes.ts';
import { activity } from '../../engine/activity/declare.ts';
import type { TokenUsage } from '../../login/tokens/client-signature.ts';
import type { VerificationToken } from '../../model/token.ts';
import { LoginResult } from '../../wire/sessions.ts';
import { type OtpLogin, params } from './otp-login.history.ts';

/** One text for every reason, so that it reveals nothing about existing users. */
const unknownContact = () =>
  new ApiError('FORBIDDEN', 'authentication failed: no user of this organization has the contact of this verification token');

const keyIn = (text: string) => parseStampPublicKey('API_KEY_CURVE_P256', text);

function checkLogin(about: TokenUsage['about'], publicKey: string): void {
  const [[name, key] = [], ...more] = Object.entries(about);
  const isSame = typeof key === 'string' && (key === publicKey || (keyIn(key) !== undefined && keyIn(key) === keyIn(publicKey)));
  if (name !== 'publicKey' || !isSame || more.length > 0)
    throw invalid('parameters.clientSignature.message', 'must name the same publicKey and no other member');
}

export const otpLogin = activity<OtpLogin, typeof LoginResult, undefined, VerificationToken, 'sessions'>({
  kind: 'OTP_LOGIN',
  resource: 'AUTH',
  action: 'CREATE',
  summary: 'Log in the user with the contact of a verification token, with a key of the client',
  submitters: { from: 'parent' },
  custody: 'sessions',
  params,
  secrets: ['verificationToken'],
  policyParams: SESSION_PROFILE_PARAM,
  result: { key: 'otpLoginResult', shape: LoginResult },
  errors: [readToken, requireFeature, signedUsage, useToken, logIn, 'FORBIDDEN'],
  async prepare({ ctx, intent: { verificationToken, clientSignature, unsigned, publicKey } }) {
    const token = await readToken(ctx, verificationToken);
    requireFeature(ctx, featureOf(token.type));
    const about = await signedUsage(token, unsigned ? undefined : clientSignature, 'USAGE_TYPE_LOGIN');
    if (about) checkLogin(about, publicKey);
    return token;
  },
  async execute({ ctx, intent: login, prepared: token }) {
    const contact = kindOf(token.type);
    const user = await findUserOfContact(ctx.store, ctx.organization, contact, token.contact);
    if (user === undefined) throw unknownContact();
    await useToken(ctx, token, 'login');
    await markVerified(ctx, user, contact);
    return logIn(ctx, user, login, token.publicKey);
  },
});
