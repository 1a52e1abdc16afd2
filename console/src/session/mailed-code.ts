/** A code by mail vouches for a key that is made here. The code is sealed to the service, so no proxy between reads it. */
import { fromHex, fromUtf8, toHex, utf8 } from '../../../src/base/bytes.ts';
import { askProxy } from '../service/logins.ts';
import { loaded } from '../service/part.ts';
import { type Attested, newStampKey } from '../service/stamps.ts';

/** `organizationId`: whose sub-organizations people sign in to. */
export type CodeWays = { organizationId: string; sendsMail: boolean };

type Config = { organizationId: string; enabledProviders: string[] };

export async function codeWays(): Promise<CodeWays> {
  const { organizationId, enabledProviders } = await askProxy<Config>('wallet_kit_config');
  return { organizationId, sendsMail: enabledProviders.includes('email') };
}

/** `target`: the service's key for this code, 65 bytes. */
export type Mailed = { otpId: string; target: Uint8Array };

export async function mailCode(contact: string): Promise<Mailed> {
  const asked = { otpType: 'OTP_TYPE_EMAIL', contact };
  const { otpId, otpEncryptionTargetBundle } = await askProxy<Record<string, string>>('otp_init_v2', asked);
  // Its signature is by a key that the same service would name, so it proves nothing here.
  const { data } = JSON.parse(otpEncryptionTargetBundle!) as { data: string };
  const { targetPublic } = JSON.parse(fromUtf8(fromHex(data)!)!) as { targetPublic: string };
  return { otpId: otpId!, target: fromHex(targetPublic)! };
}

/** A code works once. Throws ServiceError if it is wrong. */
export async function proveCode({ otpId, target }: Mailed, code: string): Promise<Attested> {
  const { webSeal } = await loaded(import('../../../src/bundles/web-hpke.ts'));
  const key = await newStampKey();
  const guess = JSON.stringify({ otp_code: code, public_key: key.publicKey });
  const { enc, ciphertext } = await webSeal(target, utf8(guess));
  const encryptedOtpBundle = JSON.stringify({ encappedPublic: toHex(enc), ciphertext: toHex(ciphertext) });
  const { verificationToken } = await askProxy<Record<string, string>>('otp_verify_v2', { otpId, encryptedOtpBundle });
  return { by: 'code', key, token: verificationToken! };
}
