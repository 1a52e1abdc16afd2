import { z } from 'zod';
import { p256KeyOf } from '../../domain/credentials/api-keys.ts';
import { checkSealedGuess, openSealedGuess, type SealedGuess, verifyOtp as verify } from '../../domain/otp/otp-verification.ts';
import { activity } from '../../engine/activity/declare.ts';
import { RefusalThatWrites } from '../../engine/activity/refusal-that-writes.ts';
import { mintVerificationToken } from '../../login/tokens/verification-token.ts';
import { isProxy } from '../../model/auth-proxy.ts';
import { params, type VerifyOtp } from './verify-otp.history.ts';

const DEFAULT_SECONDS = 3600;

const shape = z.object({ verificationToken: z.string() });

/** `publicKey`: null if the token is bound to none. */
type Given = { code: string; publicKey: string | null };

const keyOf = ({ publicKey }: { publicKey?: string | undefined }): string | null =>
  publicKey === undefined ? null : p256KeyOf(publicKey, 'parameters.publicKey');

export const verifyOtp = activity<VerifyOtp, typeof shape, undefined, SealedGuess | undefined, 'codes' | 'tokens'>({
  kind: 'VERIFY_OTP',
  resource: 'OTP',
  action: 'VERIFY',
  summary: 'Get a verification token for the contact that a one-time code was sent to',
  submitters: { from: 'parent' },
  custody: ['codes', 'tokens'],
  params,
  secrets: ['otpCode', 'encryptedOtpBundle'],
  result: { key: 'verifyOtpResult', shape },
  resultSecrets: ['verificationToken'],
  errors: [p256KeyOf, checkSealedGuess, verify],
  check({ intent: { clear, encryptedOtpBundle } }) {
    if (clear) keyOf(clear);
    else checkSealedGuess(encryptedOtpBundle);
  },
  async prepare({ ctx, intent: { otpId, clear, encryptedOtpBundle } }) {
    return clear ? undefined : openSealedGuess(ctx, otpId, encryptedOtpBundle);
  },
  async execute({ ctx, intent: { otpId, clear, expirationSeconds }, prepared: opened }) {
    const given: Given | undefined = clear ? { code: clear.otpCode, publicKey: keyOf(clear) } : opened;
    const guess = clear
      ? ({ otpId, use: 'clear', field: 'parameters.otpCode' } as const)
      : ({ otpId, use: 'sealed', field: 'parameters.encryptedOtpBundle' } as const);
    const otp = await verify(ctx, { ...guess, code: given?.code });
    if (otp instanceof RefusalThatWrites) return otp;
    const verificationToken = mintVerificationToken(ctx.vault, {
      kind: clear ? 'legacy' : 'enclave',
      id: ctx.ids.next(),
      organizationId: ctx.organization.id,
      type: otp.type,
      contact: otp.contact,
      publicKey: given!.publicKey,
      expiresAt: ctx.now + Number(expirationSeconds ?? DEFAULT_SECONDS) * 1000,
      ...((otp.byProxy || isProxy(ctx.submitter)) && { byProxy: true }),
    });
    return { verificationToken };
  },
});
