import { domainToASCII } from 'node:url';
import { parseEmail } from '../model/contacts.ts';
import { parseWebhookSecret } from '../outbound/sms-webhook.ts';
import { isLoopbackHost, parseSmtpUrl, type SmtpSettings } from '../outbound/smtp-url.ts';
import { devOutboxSetting } from './dev-outbox.ts';
import type { Environment, Setting } from './names.ts';
import { ConfigError, oneOf, secret } from './read.ts';

export type SmsSettings =
  | { provider: 'twilio'; accountSid: string; authToken: string; from: string; baseUrl: string }
  | { provider: 'webhook'; url: string; secret: Buffer };

/** How messages are sent. */
export type MessageSettings = {
  /** Whether messages are kept in memory and not sent. */
  devOutbox: boolean;
  /** The settings because of which `npm start` keeps no messages. */
  devOutboxOffBy: readonly Setting[];
  smtp: SmtpSettings | undefined;
  from: { name: string; address: string };
  /** Domains, in the form of DNS, that a request may use in the sender's address. */
  senderDomains: readonly string[];
  checkDns: boolean;
  sms: SmsSettings | undefined;
};

const FROM = 'MAIL_FROM must be an address such as no-reply@example.com, or Example <no-reply@example.com>';

function fromOf(text: string): { name: string; address: string } {
  const [, name = '', address = text] = /^([^<>]*)<([^<>]+)>$/.exec(text.trim()) ?? [];
  const parsed = parseEmail(address.trim());
  const shown = name.trim().replace(/^"(.*)"$/, '$1');
  if (parsed === undefined || /[\p{Cc}"\\]/u.test(shown)) throw new ConfigError(`${FROM}, not "${text}"`);
  return { name: shown || 'Notifications', address: parsed };
}

function domainsOf(text: string): string[] {
  const named = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  return named.map((one) => {
    const domain = domainToASCII(one).toLowerCase();
    if (domain === '' || !domain.includes('.') || !/^[a-z0-9.-]+$/.test(domain))
      throw new ConfigError(`MAIL_SENDER_DOMAINS must be domains such as example.com, separated by commas, not "${one}"`);
    return domain;
  });
}

/** The URL must be https, or http on this machine. Trailing slashes are removed. */
function urlOf(name: string, text: string): string {
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (url === null || !isSafe || url.username !== '' || url.password !== '' || url.hash !== '')
    throw new ConfigError(`${name} must be an https URL (http only on this machine), without a user name or password`);
  return url.href.replace(/\/+$/, '');
}

function needed(values: Readonly<Record<string, string>>, provider: string): void {
  for (const [name, value] of Object.entries(values))
    if (value === '') throw new ConfigError(`SMS_PROVIDER=${provider} needs ${name}`);
}

function twilioOf(env: Environment): SmsSettings {
  const accountSid = env.TWILIO_ACCOUNT_SID ?? '';
  const authToken = secret(env, 'TWILIO_AUTH_TOKEN') ?? '';
  const from = env.SMS_FROM ?? '';
  needed({ TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken, SMS_FROM: from }, 'twilio');
  if (!/^AC[0-9a-fA-F]{32}$/.test(accountSid)) throw new ConfigError('TWILIO_ACCOUNT_SID must be AC and 32 hexadecimal digits');
  if (!/^(\+[1-9]\d{6,14}|MG[0-9a-fA-F]{32}|[A-Za-z0-9 ]{1,11})$/.test(from))
    throw new ConfigError(
      'SMS_FROM must be a phone number such as +14155550100, a messaging service (MG…), or a sender id of up to 11 letters and digits',
    );
  const baseUrl = urlOf('TWILIO_URL', env.TWILIO_URL || 'https://api.twilio.com');
  return { provider: 'twilio', accountSid, authToken, from, baseUrl };
}

function webhookOf(env: Environment): SmsSettings {
  const url = env.SMS_WEBHOOK_URL ?? '';
  const text = secret(env, 'SMS_WEBHOOK_SECRET') ?? '';
  needed({ SMS_WEBHOOK_URL: url, SMS_WEBHOOK_SECRET: text }, 'webhook');
  const parsed = parseWebhookSecret(text);
  if (parsed === undefined) throw new ConfigError('SMS_WEBHOOK_SECRET must be whsec_ and 24 to 64 bytes in base64');
  return { provider: 'webhook', url: urlOf('SMS_WEBHOOK_URL', url), secret: parsed };
}

function smsOf(env: Environment): SmsSettings | undefined {
  if (!env.SMS_PROVIDER) return undefined;
  return oneOf(env, 'SMS_PROVIDER', ['twilio', 'webhook'], 'twilio') === 'twilio' ? twilioOf(env) : webhookOf(env);
}

function smtpOf(env: Environment): SmtpSettings | undefined {
  const url = secret(env, 'SMTP_URL');
  if (!url) return undefined;
  if (!env.MAIL_FROM) throw new ConfigError('SMTP_URL needs MAIL_FROM, the sender address of mails');
  try {
    return parseSmtpUrl(url);
  } catch (error) {
    throw new ConfigError(`SMTP_URL ${(error as Error).message}`);
  }
}

/** Throws ConfigError, without a secret in its text. */
export function messageSettings(env: Environment): MessageSettings {
  const { kept: devOutbox, offBy } = devOutboxSetting(env);
  const smtp = smtpOf(env);
  const sms = smsOf(env);
  if (devOutbox && (smtp ?? sms))
    throw new ConfigError(`DEV_OUTBOX=1 keeps messages and sends none: unset it, or ${smtp ? 'SMTP_URL' : 'SMS_PROVIDER'}`);
  return {
    devOutbox,
    devOutboxOffBy: offBy,
    smtp,
    from: fromOf(env.MAIL_FROM || 'Countersign <countersign@localhost.invalid>'),
    senderDomains: domainsOf(env.MAIL_SENDER_DOMAINS ?? ''),
    checkDns: oneOf(env, 'MAIL_CHECK_DNS', ['0', '1'], '0') === '1',
    sms,
  };
}

const UNSET = '(unset)';

/** For display, without passwords and secrets. */
export function shownMessages({ devOutbox, smtp, from, senderDomains, checkDns, sms }: MessageSettings): Record<string, unknown> {
  const twilio = sms?.provider === 'twilio' ? sms : undefined;
  const webhook = sms?.provider === 'webhook' ? sms : undefined;
  const tls = smtp?.tls === 'off' ? '?tls=off' : '';
  return {
    DEV_OUTBOX: devOutbox ? 1 : 0,
    SMTP_URL: smtp
      ? `smtp${smtp.tls === 'implicit' ? 's' : ''}://${smtp.auth ? '***:***@' : ''}${smtp.host}:${smtp.port}${tls}`
      : UNSET,
    MAIL_FROM: smtp ? `${from.name} <${from.address}>` : UNSET,
    MAIL_SENDER_DOMAINS: senderDomains.join(',') || UNSET,
    MAIL_CHECK_DNS: checkDns ? 1 : 0,
    SMS_PROVIDER: sms?.provider ?? UNSET,
    SMS_FROM: twilio?.from ?? UNSET,
    TWILIO_ACCOUNT_SID: twilio?.accountSid ?? UNSET,
    TWILIO_AUTH_TOKEN: twilio ? '***' : UNSET,
    TWILIO_URL: twilio?.baseUrl ?? UNSET,
    SMS_WEBHOOK_URL: webhook ? new URL(webhook.url).origin : UNSET,
    SMS_WEBHOOK_SECRET: webhook ? '***' : UNSET,
  };
}

type Beside = { way: string; isSet(env: Environment): boolean; names: readonly Setting[] };

/** Settings that only have an effect together with another one. */
const BESIDE: readonly Beside[] = [
  { way: 'SMTP_URL', isSet: (env) => Boolean(env.SMTP_URL || env.SMTP_URL_FILE), names: ['MAIL_FROM', 'MAIL_SENDER_DOMAINS'] },
  {
    way: 'SMS_PROVIDER=twilio',
    isSet: (env) => env.SMS_PROVIDER === 'twilio',
    names: ['SMS_FROM', 'TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_AUTH_TOKEN_FILE', 'TWILIO_URL'],
  },
  {
    way: 'SMS_PROVIDER=webhook',
    isSet: (env) => env.SMS_PROVIDER === 'webhook',
    names: ['SMS_WEBHOOK_URL', 'SMS_WEBHOOK_SECRET', 'SMS_WEBHOOK_SECRET_FILE'],
  },
];

/** A sentence for each setting that has no effect in combination with the others. */
export const messagesWithoutEffect = (env: Environment): string[] =>
  BESIDE.filter(({ isSet }) => !isSet(env)).flatMap(({ way, names }) =>
    names.filter((name) => env[name]).map((name) => `${name} has no effect without ${way}`),
  );
