import { captchaWithoutEffect } from './captcha.ts';
import { messagesWithoutEffect } from './messages.ts';
import { CHAIN_SETTING, type Environment, SETTINGS } from './names.ts';
import { rootKeyWithoutEffect } from './root-key.ts';
import { shippingWarnings } from './shipping.ts';
import { unknownSettings } from './unknown.ts';

function withoutEffect(env: Environment): string[] {
  const ineffective: string[] = [];
  for (const name of ['DATABASE_POOL', 'DATABASE_STATEMENT_SECONDS', 'DATABASE_LONG_STATEMENT_SECONDS'] as const)
    if (env[name] && !(env.DATABASE_URL || env.DATABASE_URL_FILE))
      ineffective.push(`${name} has no effect without DATABASE_URL: the database is SQLite in DATA_DIR`);
  if (env.SQLITE_CACHE_MB && (env.DATABASE_URL || env.DATABASE_URL_FILE))
    ineffective.push('SQLITE_CACHE_MB has no effect with DATABASE_URL: the database is PostgreSQL');
  return [
    ...ineffective,
    ...rootKeyWithoutEffect(env),
    ...messagesWithoutEffect(env),
    ...captchaWithoutEffect(env),
    ...shippingWarnings(env),
    ...unknownSettings(env, SETTINGS, CHAIN_SETTING),
  ];
}

function dangerous(env: Environment): string[] {
  if (env.OTP_SANDBOX !== '1') return [];
  return [
    'OTP_SANDBOX=1: the one-time code 000000 of user@example.com and +1 999-999-9999 is public, so any caller can log in as users with these contacts. Unset it for real users',
  ];
}

/** Sentences about settings that have no effect, or are dangerous. */
export const warningsOf = (env: Environment): string[] => [...withoutEffect(env), ...dangerous(env)];
