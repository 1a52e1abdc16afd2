import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mintVerificationToken } from '../../src/login/tokens/verification-token.ts';
import type { VerificationToken } from '../../src/model/token.ts';
import { signedBy } from '../login/tokens/support.ts';
import type { Keys } from '../support/client.ts';
import type { Instance } from '../support/instance.ts';

export const HOUR = 3_600_000;

/** A token of the instance, by the function that VERIFY_OTP calls: of its root organization, for an hour, bound to a key if one is given. */
export function newToken(
  { engine, credentials, clock }: Instance,
  contact: string,
  keys: Keys | undefined,
  more: Partial<VerificationToken> = {},
): { token: VerificationToken; jwt: string } {
  const token: VerificationToken = {
    kind: keys === undefined ? 'legacy' : 'enclave',
    id: randomUUID(),
    organizationId: credentials.organizationId,
    type: contact.startsWith('+') ? 'OTP_TYPE_SMS' : 'OTP_TYPE_EMAIL',
    contact,
    publicKey: keys?.publicKey ?? null,
    expiresAt: clock.now() + HOUR,
    ...more,
  };
  return { token, jwt: mintVerificationToken(engine.vault.tokens, token) };
}

/** What published clients sign for a sign-up. */
export function signUpSignature(
  keys: Keys,
  tokenId: string,
  about: object,
  more: { member?: string; form?: 'raw' | 'der' } = {},
) {
  const message = JSON.stringify({ [more.member ?? 'signupV2']: about, tokenId, type: 'USAGE_TYPE_SIGNUP' });
  return clientSignature(keys, message, more.form);
}

export const clientSignature = (keys: Keys, message: string, form: 'raw' | 'der' = 'raw') => ({
  publicKey: keys.publicKey,
  scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256',
  message,
  signature: signedBy(keys, message, form),
});

/** The marks of a user, which no answer shows. */
export async function marksOf(instance: Instance, userId: string): Promise<{ access: string; email: boolean; phone: boolean }> {
  const rows = await instance.raw('SELECT access_type, email_verified, phone_verified FROM users WHERE id = $1', userId);
  assert.equal(rows.length, 1);
  const { access_type, email_verified, phone_verified } = rows[0]!;
  return { access: access_type as string, email: Number(email_verified) === 1, phone: Number(phone_verified) === 1 };
}
