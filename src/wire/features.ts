import { z } from 'zod';

const NAMES = [
  'ROOT_USER_EMAIL_RECOVERY',
  'WEBAUTHN_ORIGINS',
  'EMAIL_AUTH',
  'EMAIL_RECOVERY',
  'WEBHOOK',
  'SMS_AUTH',
  'OTP_EMAIL_AUTH',
  'AUTH_PROXY',
  'SOLANA_RENT_PREFUND_ENABLED',
  'SWAP_CONFIG',
  'EARN_CONFIG',
].map((name) => `FEATURE_NAME_${name}`);

export const FeatureName = z.enum(NAMES as [string, ...string[]], { error: `must be one of ${NAMES.join(', ')}` });

export const Features = z.array(z.object({ name: z.string(), value: z.string() }));

export function viewFeatures(features: Record<string, string>): z.output<typeof Features> {
  return Object.entries(features)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ name, value }));
}
