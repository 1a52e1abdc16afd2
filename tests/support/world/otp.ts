import { randomBytes } from 'node:crypto';
import { initiate, initiateInTheClear, login, sealed } from '../../activities/otp/support.ts';
import { newToken } from '../../activities/tokens.ts';
import { newKeys, resultOf, userWith } from '../client.ts';
import type { Things } from './kinds.ts';

/** With OTP_SANDBOX=1, whose code everybody knows. */
const SANDBOX = { contact: 'user@example.com', code: '000000', form: { otpLength: 6, alphanumeric: false } };

const anyEmail = () => `${randomBytes(6).toString('hex')}@example.com`;

async function addUser({ home }: Things, userEmail: string): Promise<void> {
  const users = [{ ...userWith(home.label(), [newKeys()]), userEmail, userTags: [] }];
  resultOf(await home.client.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
}

export const newOtp = ({ home }: Things): Promise<string> => initiateInTheClear(home.client, anyEmail());

export async function clearCode({ home }: Things): Promise<object> {
  const otpId = await initiateInTheClear(home.client, SANDBOX.contact, SANDBOX.form);
  return { otpId, otpCode: SANDBOX.code, publicKey: newKeys().publicKey };
}

export async function sealedCode({ home }: Things): Promise<object> {
  const initiated = await initiate(home.client, SANDBOX.contact, SANDBOX.form);
  return sealed(home.client, SANDBOX.code, initiated, newKeys().publicKey);
}

/** Of a new user, whose contact the token is about. */
export async function tokenLogin(things: Things): Promise<object> {
  const { instance, client } = things.home;
  const [email, keys] = [anyEmail(), newKeys()];
  await addUser(things, email);
  const { jwt } = newToken(instance, email, keys, { organizationId: client.organizationId });
  return login(jwt, keys, newKeys());
}

/** Once in an organization: with two users, the contact would identify none. */
export async function codeLogin(things: Things): Promise<object> {
  await addUser(things, SANDBOX.contact);
  const asked = { otpType: 'OTP_TYPE_EMAIL', contact: SANDBOX.contact, appName: 'Sandbox', ...SANDBOX.form };
  const answer = await things.home.client.submit('INIT_OTP_AUTH_V3', asked);
  const { otpId } = resultOf(answer, 'initOtpAuthResultV2');
  return { otpId, otpCode: SANDBOX.code, targetPublicKey: newKeys().publicKey };
}
