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

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

function isSafeUrl(value: string): boolean {
  const url = URL.parse(value);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.includes(url.hostname));
}

/** Why a feature cannot have this value; undefined if it can. */
export function featureProblem(name: string, value: string): string | undefined {
  if (name !== 'FEATURE_NAME_WEBHOOK' || isSafeUrl(value)) return undefined;
  return 'must be an https URL (http only on this machine)';
}

export const Features = z.array(z.object({ name: z.string(), value: z.string() }));

export function viewFeatures(features: Record<string, string>): z.output<typeof Features> {
  return Object.entries(features)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ name, value }));
}
