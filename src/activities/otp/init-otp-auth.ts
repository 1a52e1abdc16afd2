import { z } from 'zod';
import {
  checkInitiation,
  DEFAULT_LENGTH,
  initiateOtp,
  kindOf,
  otpContact,
  type PreparedOtp,
  prepareOtp,
} from '../../domain/otp/otp.ts';
import { findUserOfContact } from '../../domain/people/contact-users.ts';
import { activity, INT } from '../../engine/activity/declare.ts';
import { IdOut } from '../../wire/common.ts';
import { type InitOtpAuth, params } from './init-otp-auth.history.ts';

const shape = z.object({ otpId: IdOut });

export const initOtpAuth = activity<InitOtpAuth, typeof shape, undefined, PreparedOtp, 'codes'>({
  kind: 'INIT_OTP_AUTH',
  resource: 'AUTH',
  action: 'CREATE',
  usage: { messages: 1 },
  summary: 'Send a one-time code to the user of the organization with this email address or phone number, if there is one',
  submitters: { from: 'parent' },
  custody: 'codes',
  params,
  policyParams: { otp_length: [INT, ({ otpLength = DEFAULT_LENGTH }) => BigInt(otpLength)] },
  result: { key: 'initOtpAuthResultV2', shape },
  oldResults: [{ until: 1, key: 'initOtpAuthResult', shape, write: (result) => result }],
  errors: [prepareOtp, checkInitiation, initiateOtp],
  check: ({ intent }) => checkInitiation(intent),
  async prepare({ ctx, intent }) {
    // The answer does not reveal whether a user has the contact. If none does, a code is made, but not sent.
    const user = await findUserOfContact(ctx.read, ctx.organization, kindOf(intent.otpType), otpContact(intent));
    return prepareOtp(ctx, 'auth', intent, { user });
  },
  async execute({ ctx, prepared }) {
    await initiateOtp(ctx, prepared);
    return { otpId: prepared.otp.id };
  },
});
