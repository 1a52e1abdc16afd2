import { isLoopbackHost } from '../outbound/smtp-url.ts';
import type { Environment, Setting } from './names.ts';
import { oneOf } from './read.ts';

/** Settings that say that the service is for others, or how it sends. */
const FOR_OTHERS: readonly Setting[] = [
  'DATABASE_URL',
  'DATABASE_URL_FILE',
  'SMTP_URL',
  'SMTP_URL_FILE',
  'BASE_URL',
  'TRUSTED_PROXIES',
  'SMS_PROVIDER',
];

/** `offBy`: the settings for which `auto` keeps nothing. */
export type DevOutboxSetting = { kept: boolean; offBy: readonly Setting[] };

/** `auto`, which `npm start` sets, keeps messages where only this machine reaches the service and no other setting sends them. */
export function devOutboxSetting(env: Environment): DevOutboxSetting {
  const said = oneOf(env, 'DEV_OUTBOX', ['0', '1', 'auto'], '0');
  if (said !== 'auto') return { kept: said === '1', offBy: [] };
  const offBy = FOR_OTHERS.filter((name) => env[name]);
  if (!isLoopbackHost(env.HOST || 'localhost')) offBy.unshift('HOST');
  return { kept: offBy.length === 0, offBy };
}
