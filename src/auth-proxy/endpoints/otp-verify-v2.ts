import { z } from 'zod';
import { limitVerification } from '../../domain/limits/unstamped.ts';
import { OtpId, SealedGuessText } from '../../wire/otp.ts';
import { proxyEndpoint } from '../declare.ts';
import { tokenSeconds } from '../otp-parameters.ts';

export const otpVerifyV2 = proxyEndpoint({
  path: '/v1/otp_verify_v2',
  summary: 'Get a verification token for the contact that a code of otp_init_v2 was sent to',
  params: z.object({ otpId: OtpId, encryptedOtpBundle: SealedGuessText }),
  result: z.object({ verificationToken: z.string() }),
  limit: limitVerification,
  submits: ['ACTIVITY_TYPE_VERIFY_OTP_V2'],
  async run(ctx, guess) {
    const { result } = await ctx.submit('ACTIVITY_TYPE_VERIFY_OTP_V2', { ...guess, ...tokenSeconds(ctx) });
    return result as { verificationToken: string };
  },
});
