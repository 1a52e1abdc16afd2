import { z } from 'zod';
import { normalOrigin, parseOrigins, writeOrigins } from '../model/origins.ts';
import { urlProblem } from './webhooks.ts';

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

const ORIGIN = 'must be an origin, such as https://example.com: https (http only for localhost), without a path';

/** A feature's value as it is stored. `problem`: why it cannot have this value. */
export function featureValue(name: string, value: string): { value: string; problem?: string | undefined } {
  if (name === 'FEATURE_NAME_WEBHOOK') return { value, problem: urlProblem(value) };
  if (name !== 'FEATURE_NAME_WEBAUTHN_ORIGINS') return { value };
  const { origins, wrong } = parseOrigins(value);
  if (wrong === undefined) return { value: writeOrigins(origins) };
  return { value, problem: `${ORIGIN}, or several separated by commas: ${JSON.stringify(wrong)} is not an origin` };
}

/** Characters of a feature's value. */
export const LONGEST_VALUE = 4096;

const Origin = z
  .string()
  .max(255)
  .transform((text, ctx) => {
    const origin = normalOrigin(text);
    if (origin === undefined) ctx.addIssue({ code: 'custom', message: ORIGIN });
    return origin ?? z.NEVER;
  });

export const Origins = z
  .array(Origin)
  .max(100)
  .refine((origins) => writeOrigins(origins).length <= LONGEST_VALUE, `must have at most ${LONGEST_VALUE} characters in total`);

export const Features = z.array(z.object({ name: z.string(), value: z.string() }));

export function viewFeatures(features: Record<string, string>): z.output<typeof Features> {
  return Object.entries(features)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ name, value }));
}
