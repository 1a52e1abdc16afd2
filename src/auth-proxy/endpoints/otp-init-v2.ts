import { z } from 'zod';
import { limitInitiation } from '../../domain/limits/unstamped.ts';
import { IdOut } from '../../wire/common.ts';
import { OtpRequest } from '../../wire/proxy-requests.ts';
import { proxyEndpoint } from '../declare.ts';
import { methodOfOtp, requireMethod } from '../methods.ts';
import { otpParameters } from '../otp-parameters.ts';

export const otpInitV2 = proxyEndpoint({
  path: '/v1/otp_init_v2',
  summary: 'Send a one-time code to an email address or a phone number, and get the key to which the client seals it',
  params: OtpRequest,
  result: z.object({ otpId: IdOut, otpEncryptionTargetBundle: z.string() }),
  captcha: true,
  limit: limitInitiation,
  submits: ['ACTIVITY_TYPE_INIT_OTP_V3'],
  async run(ctx, wish) {
    requireMethod(ctx, methodOfOtp(wish.otpType));
    const { result } = await ctx.submit('ACTIVITY_TYPE_INIT_OTP_V3', otpParameters(ctx, wish));
    const { otpId, otpEncryptionTargetBundle } = result as { otpId: string; otpEncryptionTargetBundle: string };
    return { otpId, otpEncryptionTargetBundle };
  },
});
