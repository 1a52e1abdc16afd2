import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { BundleError, readEncryptedBundle } from '../../crypto/bundle.ts';
import { parseStampPublicKey } from '../../crypto/stamp.ts';
import type { CodeVault } from '../../custody/types.ts';
import { type RefusalThatWrites, refusalThatWrites } from '../../engine/activity/refusal-that-writes.ts';
import type { ExecuteContext, PrepareContext } from '../../engine/context.ts';
import { ATTEMPTS, isLive, type Otp } from '../../model/otp.ts';

/** One text for every reason, so that it reveals nothing about existing codes. */
const WRONG =
  'Invalid OTP code: it is wrong, has expired, was used, or is locked after three wrong attempts. Try again, or request a new one';

export const invalidCode = (field: string): ApiError =>
  new ApiError('REQUEST_INVALID', WRONG, { violations: [{ field, description: WRONG }] });

type Verifying = Pick<ExecuteContext<'none'>, 'store' | 'organization' | 'now'> & { vault: CodeVault };

/** `code`: undefined if the request has no readable one. */
type Guess = { otpId: string; use: Otp['use']; code: string | undefined; field: string };

/**
 * For `execute`: the code's row, if the guess is right. A code works once. A wrong guess spends an attempt. The attempt stays
 * spent if `execute` returns this function's result.
 */
export async function verifyOtp(
  { store, organization, now, vault }: Verifying,
  { otpId, use, code, field }: Guess,
): Promise<Otp | RefusalThatWrites> {
  const found = await store.otps.get(organization.id, otpId);
  const otp = found?.use === use && isLive(found, now) ? found : undefined;
  // Compared also without a stored code, so that all refusals take the same time.
  const isRight = vault.matchesCode(organization.id, otpId, otp?.code ?? undefined, code ?? '');
  if (otp && isRight && (await store.otps.close(organization.id, otpId))) return otp;
  if (otp && code !== undefined) {
    await store.otps.miss(otp);
    if (otp.misses + 1 >= ATTEMPTS) await store.otps.close(organization.id, otpId);
  }
  return refusalThatWrites(invalidCode(field));
}
verifyOtp.errors = errorsOf('REQUEST_INVALID');

/** The content that a client seals to the key of a code. */
export type SealedGuess = { code: string; publicKey: string };

function guessIn(text: string): SealedGuess | undefined {
  const parsed = parseJson(Buffer.from(text), { depth: 1, keys: 8 });
  const value = 'value' in parsed ? parsed.value : undefined;
  if (!isObject(value) || typeof value.otp_code !== 'string' || typeof value.public_key !== 'string') return undefined;
  const publicKey = parseStampPublicKey('API_KEY_CURVE_P256', value.public_key);
  return publicKey === undefined ? undefined : { code: value.otp_code, publicKey };
}

/** For `check`: the form of a sealed guess. */
export function checkSealedGuess(encryptedOtpBundle: string): void {
  try {
    readEncryptedBundle(encryptedOtpBundle);
  } catch (error) {
    if (error instanceof BundleError) throw invalid('parameters.encryptedOtpBundle', error.message);
    throw error;
  }
}
checkSealedGuess.errors = errorsOf('REQUEST_INVALID');

type Opening = Pick<PrepareContext<'none'>, 'read' | 'organization' | 'now'> & { vault: CodeVault };

/** For `prepare`: the guess. Undefined if it cannot be read, which spends no attempt, or if there is no such valid code. */
export async function openSealedGuess(
  { read, organization, now, vault }: Opening,
  otpId: string,
  encryptedOtpBundle: string,
): Promise<SealedGuess | undefined> {
  const otp = await read.otps.get(organization.id, otpId);
  if (otp === undefined || !isLive(otp, now) || otp.targetKey === null || otp.targetPublicKey === null) return undefined;
  const target = { organizationId: otp.organizationId, id: otp.id, publicKey: otp.targetPublicKey, sealed: otp.targetKey };
  try {
    return guessIn(vault.openCode(target, encryptedOtpBundle));
  } catch (error) {
    if (error instanceof BundleError) return undefined;
    throw error;
  }
}
