import { z } from 'zod';
import { issueCredential } from '../../domain/credentials/sessions.ts';
import { targetOf } from '../../domain/credentials/target-keys.ts';
import { featureOf, hasContact } from '../../domain/otp/otp.ts';
import { invalidCode, verifyOtp } from '../../domain/otp/otp-verification.ts';
import { requireFeature } from '../../domain/people/features.ts';
import { activity } from '../../engine/activity/declare.ts';
import { RefusalThatWrites, refusalThatWrites } from '../../engine/activity/refusal-that-writes.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { OtpCode, OtpId } from '../../wire/otp.ts';
import { IssuedKey, LoginKeyRequest } from '../../wire/sessions.ts';

const FIELD = 'parameters.otpCode';

export const otpAuth = activity({
  kind: 'OTP_AUTH',
  resource: 'AUTH',
  action: 'CREATE',
  summary: 'Log in the user of a one-time code of INIT_OTP_AUTH, with a new key that is sealed to the client',
  submitters: { from: 'parent' },
  custody: ['codes', 'issue'],
  params: v1(LoginKeyRequest.extend({ otpId: OtpId, otpCode: OtpCode })),
  secrets: ['otpCode'],
  resultBundles: ['credentialBundle'],
  result: {
    key: 'otpAuthResult',
    shape: z.object({ userId: IdOut, ...IssuedKey.shape }),
  },
  errors: [targetOf, verifyOtp, requireFeature, issueCredential],
  check: ({ intent: { targetPublicKey } }) => void targetOf(targetPublicKey),
  async execute({ ctx, intent: { otpId, otpCode, ...wanted } }) {
    const otp = await verifyOtp(ctx, { otpId, use: 'auth', code: otpCode, field: FIELD });
    if (otp instanceof RefusalThatWrites) return otp;
    requireFeature(ctx, featureOf(otp.type));
    const user = otp.userId === null ? undefined : await ctx.store.users.get(ctx.organization.id, otp.userId);
    // The user was removed since, or has another contact.
    if (user === undefined || !hasContact(user, otp)) return refusalThatWrites(invalidCode(FIELD));
    const key = { type: 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256', defaultName: 'OTP Auth' };
    return { userId: user.id, ...(await issueCredential(ctx, user, { ...key, ...wanted })) };
  },
});
