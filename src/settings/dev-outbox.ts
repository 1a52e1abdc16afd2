import { isLoopbackHost } from '../outbound/smtp-url.ts';
import type { Environment, Setting } from './names.ts';
import { oneOf } from './read.ts';

/** Settings that show that the service has outside users, or how it sends messages. */
const FOR_OTHERS: readonly Setting[] = [
  'DATABASE_URL',
  'DATABASE_URL_FILE',
  'SMTP_URL',
  'SMTP_URL_FILE',
  'BASE_URL',
  'TRUSTED_PROXIES',
  'SMS_PROVIDER',
];

/** `offBy`: the settings because of which `auto` keeps no messages. */
export type DevOutboxSetting = { kept: boolean; offBy: readonly Setting[] };

/**
 * `auto`, which `npm start` sets, keeps messages if two conditions are met:
 * - The service is reachable only from this machine.
 * - No other setting sends the messages.
 */
export function devOutboxSetting(env: Environment): DevOutboxSetting {
  const said = oneOf(env, 'DEV_OUTBOX', ['0', '1', 'auto'], '0');
  if (said !== 'auto') return { kept: said === '1', offBy: [] };
  const offBy = FOR_OTHERS.filter((name) => env[name]);
  if (!isLoopbackHost(env.HOST || 'localhost')) offBy.unshift('HOST');
  return { kept: offBy.length === 0, offBy };
}
