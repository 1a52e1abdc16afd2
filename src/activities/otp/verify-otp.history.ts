import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { BoundKey, OtpCode, OtpId, SealedGuessText, TokenSeconds } from '../../wire/otp.ts';

const about = { otpId: OtpId, expirationSeconds: TokenSeconds.optional() };

const V1 = z.object({
  ...about,
  otpCode: OtpCode,
  publicKey: BoundKey.optional(),
});

const V2 = z.object({
  ...about,
  encryptedOtpBundle: SealedGuessText,
});

type Clear = Pick<z.output<typeof V1>, 'otpCode' | 'publicKey'>;

/** V2 dropped unencrypted codes, and tokens that are bound to no key. */
export const params = v1(V1).toBreak(2, V2, ({ otpCode, publicKey, ...rest }) => ({
  ...rest,
  encryptedOtpBundle: '',
  clear: { otpCode, publicKey } as Clear | undefined,
}));

export type VerifyOtp = ReturnType<typeof params.raise>;
