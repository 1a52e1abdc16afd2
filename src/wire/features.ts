import { z } from 'zod';
import { originsIn } from '../model/organization.ts';

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

/** Of the pages and apps that may use passkeys. */
const MANY_ORIGINS = 100;

/** The origin of a page is written as browsers write it; that of an app as its system does. */
function isOrigin(text: string): boolean {
  return text.startsWith('android:apk-key-hash:') || (isSafeUrl(text) && URL.parse(text)!.origin === text);
}

/** Why these cannot be the only origins of passkeys; undefined if they can. */
export function originsProblem(origins: readonly string[]): string | undefined {
  if (origins.length === 0) return 'must name at least one origin, such as https://app.example.com';
  if (origins.length > MANY_ORIGINS) return `must name at most ${MANY_ORIGINS} origins`;
  const wrong = origins.find((origin) => !isOrigin(origin));
  if (wrong === undefined) return undefined;
  return `must be origins separated by commas, such as https://app.example.com without a path: ${JSON.stringify(wrong)} is none (http only on this machine)`;
}

/** Why a feature cannot have this value; undefined if it can. */
export function featureProblem(name: string, value: string): string | undefined {
  if (name === 'FEATURE_NAME_WEBAUTHN_ORIGINS') return originsProblem(originsIn(value));
  if (name !== 'FEATURE_NAME_WEBHOOK' || isSafeUrl(value)) return undefined;
  return 'must be an https URL (http only on this machine)';
}

export const Features = z.array(z.object({ name: z.string(), value: z.string() }));

export function viewFeatures(features: Record<string, string>): z.output<typeof Features> {
  return Object.entries(features)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ name, value }));
}
