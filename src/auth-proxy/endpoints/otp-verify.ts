import { z } from 'zod';
import { limitVerification } from '../../domain/limits/unstamped.ts';
import { BoundKey, OtpCode, OtpId } from '../../wire/otp.ts';
import { proxyEndpoint } from '../declare.ts';
import { tokenSeconds } from '../otp-parameters.ts';

export const otpVerify = proxyEndpoint({
  path: '/v1/otp_verify',
  summary: 'Get a verification token for the contact that a code of otp_init was sent to',
  params: z.object({ otpId: OtpId, otpCode: OtpCode, publicKey: BoundKey.optional() }),
  result: z.object({ verificationToken: z.string() }),
  limit: limitVerification,
  submits: ['ACTIVITY_TYPE_VERIFY_OTP'],
  async run(ctx, guess) {
    const { result } = await ctx.submit('ACTIVITY_TYPE_VERIFY_OTP', { ...guess, ...tokenSeconds(ctx) });
    return result as { verificationToken: string };
  },
});
