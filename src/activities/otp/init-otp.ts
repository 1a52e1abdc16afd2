import { z } from 'zod';
import { checkInitiation, initiateOtp, type PreparedOtp, prepareOtp } from '../../domain/otp/otp.ts';
import { activity } from '../../engine/activity/declare.ts';
import { IdOut } from '../../wire/common.ts';
import { type InitOtp, params } from './init-otp.history.ts';

const shape = z.object({ otpId: IdOut, otpEncryptionTargetBundle: z.string() });

export const initOtp = activity<InitOtp, typeof shape, undefined, PreparedOtp, 'codes'>({
  kind: 'INIT_OTP',
  resource: 'OTP',
  action: 'CREATE',
  usage: { messages: 1 },
  summary: 'Send a one-time code to an email address or a phone number, whether or not a user has it',
  submitters: { from: 'parent' },
  custody: 'codes',
  params,
  // V2 has no key to seal to: its codes are verified unencrypted.
  result: { key: 'initOtpResultV2', shape },
  oldResults: [{ until: 1, key: 'initOtpResult', shape: z.object({ otpId: IdOut }), write: ({ otpId }) => ({ otpId }) }],
  errors: [prepareOtp, checkInitiation, initiateOtp],
  check: ({ intent }) => checkInitiation(intent),
  prepare: ({ ctx, intent }) => prepareOtp(ctx, intent.inTheClear ? 'clear' : 'sealed', intent),
  async execute({ ctx, prepared }) {
    await initiateOtp(ctx, prepared);
    return { otpId: prepared.otp.id, otpEncryptionTargetBundle: prepared.bundle };
  },
});
