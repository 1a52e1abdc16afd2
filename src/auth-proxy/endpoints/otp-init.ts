import { z } from 'zod';
import { limitInitiation } from '../../domain/limits/unstamped.ts';
import { IdOut } from '../../wire/common.ts';
import { OtpRequest } from '../../wire/proxy-requests.ts';
import { proxyEndpoint } from '../declare.ts';
import { methodOfOtp, requireMethod } from '../methods.ts';
import { otpParameters } from '../otp-parameters.ts';

export const otpInit = proxyEndpoint({
  path: '/v1/otp_init',
  summary: 'Send a one-time code to an email address or a phone number, which the client then sends unsealed',
  params: OtpRequest,
  result: z.object({ otpId: IdOut }),
  captcha: true,
  limit: limitInitiation,
  submits: ['ACTIVITY_TYPE_INIT_OTP_V2'],
  async run(ctx, wish) {
    requireMethod(ctx, methodOfOtp(wish.otpType));
    const { result } = await ctx.submit('ACTIVITY_TYPE_INIT_OTP_V2', otpParameters(ctx, wish));
    const { otpId } = result as { otpId: string };
    return { otpId };
  },
});
