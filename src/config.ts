import { readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { unknownSettings } from './app/unknown-settings.ts';
import { DATABASE_FILE } from './base/files.ts';
import { type ApiKeyCurve, apiKeyCurve, parseStampPublicKey } from './crypto/stamp.ts';
import { type MessageSettings, messageSettings, messagesWithoutEffect, shownMessages } from './message-settings.ts';
import { parseBlock } from './model/ip-address.ts';
import { DEFAULT_LIMITS, type Limits } from './model/limits.ts';
import type { Oauth2Provider } from './model/oauth2-credential.ts';
import { type Allowed, parseAllowed } from './outbound/allowed.ts';

export type Config = Readonly<{
  host: string;
  port: number;
  /** The base URL given to clients, in messages and root-credentials.json. */
  baseUrl: string;
  /** BASE_URL or PORT was set, so `baseUrl` is not just the default. */
  addressIsSet: boolean;
  dataDir: string;
  /** Unset: the embedded SQLite database in `dataDir`. */
  databaseUrl: string | undefined;
  databasePool: number;
  /** Megabytes for compiled policies, as estimated. */
  policyCacheMb: number;
  /** Megabytes of pages that SQLite keeps in memory. */
  sqliteCacheMb: number;
  rootKey: { provider: 'file'; path: string } | { provider: 'passphrase'; passphrase: string };
  /** The root user's API key on the first start, in place of one that the service makes. */
  rootUserKey: { curve: ApiKeyCurve; publicKey: string } | undefined;
  logLevel: string;
  /** A separate address for /metrics, instead of `port`. */
  metrics: { host: string; port: number } | undefined;
  maxConnections: number;
  /** Blocks of addresses of our own proxies, whose word about the client's address counts. */
  trustedProxies: readonly string[];
  /** Bodies with unknown members are refused. */
  strictInput: boolean;
  /** `host:port` of what requests may name at any address, and over http. */
  outboundAllow: Allowed;
  /** Issuers of OpenID tokens that are accepted beside the service itself; undefined: all. */
  oidcIssuers: readonly string[] | undefined;
  /** Base addresses of OAuth 2.0 providers, where they are not their own. */
  oauth2Urls: { readonly [P in Oauth2Provider]?: string | undefined };
  /** Anybody may make a top-level organization. */
  allowCreateOrganization: boolean;
  /** One-time codes for two contacts of nobody are always the same. */
  otpSandbox: boolean;
  messages: MessageSettings;
  limits: Limits;
  /** Sentences about settings that have no effect, or are dangerous. */
  warnings: readonly string[];
}>;

/** LIMIT_USERS, LIMIT_POLICIES, …: one setting for each limit. */
const limitSetting = (name: string): LimitSetting => `LIMIT_${name.replace(/[A-Z]/g, (c) => `_${c}`).toUpperCase()}`;

type LimitSetting = `LIMIT_${string}`;
type Secret = (typeof SECRETS)[number];
type Setting = (typeof PLAIN)[number] | Secret | `${Secret}_FILE` | LimitSetting;
type Environment = { readonly [name in Setting]?: string | undefined };

const SECRETS = ['DATABASE_URL', 'ROOT_PASSPHRASE', 'SMTP_URL', 'TWILIO_AUTH_TOKEN', 'SMS_WEBHOOK_SECRET'] as const;
const PLAIN = [
  'HOST',
  'PORT',
  'BASE_URL',
  'DATA_DIR',
  'DATABASE_POOL',
  'POLICY_CACHE_MB',
  'SQLITE_CACHE_MB',
  'ROOT_KEY_PROVIDER',
  'ROOT_KEY_PATH',
  'ROOT_USER_PUBLIC_KEY',
  'LOG_LEVEL',
  'METRICS_PORT',
  'METRICS_HOST',
  'MAX_CONNECTIONS',
  'TRUSTED_PROXIES',
  'STRICT_INPUT',
  'OUTBOUND_ALLOW',
  'OIDC_ISSUERS',
  'OAUTH2_X_URL',
  'OAUTH2_DISCORD_URL',
  'ALLOW_CREATE_ORGANIZATION',
  'OTP_SANDBOX',
  'DEV_OUTBOX',
  'MAIL_FROM',
  'MAIL_SENDER_DOMAINS',
  'MAIL_CHECK_DNS',
  'SMS_PROVIDER',
  'SMS_FROM',
  'TWILIO_ACCOUNT_SID',
  'TWILIO_URL',
  'SMS_WEBHOOK_URL',
] as const;

/** All settings. The type check fails if one is read and not listed here. */
export const SETTINGS: readonly Setting[] = [
  ...PLAIN,
  ...SECRETS.flatMap((name) => [name, `${name}_FILE`] as const),
  ...Object.keys(DEFAULT_LIMITS).map(limitSetting),
];

/** An invalid setting. The message names it and its permitted values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** A secret comes as NAME, or as NAME_FILE naming a file that holds it (one trailing newline is dropped). */
function secret(env: Environment, name: Secret): string | undefined {
  const file = env[`${name}_FILE`];
  const value = env[name] || undefined;
  if (!file) return value;
  if (value !== undefined) throw new ConfigError(`set ${name} or ${name}_FILE, not both`);
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new ConfigError(`${name}_FILE names ${file}, which cannot be read: ${(cause as Error).message}`);
  }
}

function whole(env: Environment, name: Setting, fallback: number, min: number, max: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
  return value;
}

function oneOf<T extends string>(env: Environment, name: Setting, values: readonly T[], fallback: T): T {
  const text = env[name] || fallback;
  if (!values.includes(text as T)) throw new ConfigError(`${name} must be ${values.join(' or ')}, not "${text}"`);
  return text as T;
}

function rootKey(env: Environment, dataDir: string): Config['rootKey'] {
  if (oneOf(env, 'ROOT_KEY_PROVIDER', ['file', 'passphrase'], 'file') === 'file') {
    if (env.ROOT_PASSPHRASE || env.ROOT_PASSPHRASE_FILE)
      throw new ConfigError(
        'ROOT_PASSPHRASE is set, and ROOT_KEY_PROVIDER is file: set ROOT_KEY_PROVIDER=passphrase, or unset ROOT_PASSPHRASE and ROOT_PASSPHRASE_FILE',
      );
    const path = env.ROOT_KEY_PATH || 'root.key';
    return { provider: 'file', path: isAbsolute(path) ? path : join(dataDir, path) };
  }
  const passphrase = secret(env, 'ROOT_PASSPHRASE');
  if (passphrase === undefined)
    throw new ConfigError('ROOT_KEY_PROVIDER=passphrase needs ROOT_PASSPHRASE or ROOT_PASSPHRASE_FILE');
  if ([...passphrase].length < 12) throw new ConfigError('ROOT_PASSPHRASE must have at least 12 characters');
  return { provider: 'passphrase', passphrase };
}

/** The key in hex, after its curve and a colon where that is not P-256. */
function rootUserKey(env: Environment): Config['rootUserKey'] {
  const text = env.ROOT_USER_PUBLIC_KEY?.trim();
  if (!text) return undefined;
  const [, named = 'p256', key] = /^(?:([a-z0-9]+):)?([0-9a-fA-F]+)$/.exec(text) ?? [];
  const curve = apiKeyCurve(named);
  const publicKey = curve && key && parseStampPublicKey(curve, key);
  if (curve === undefined || !publicKey)
    throw new ConfigError(
      'ROOT_USER_PUBLIC_KEY must be a public key of P-256 in hex, as countersign keygen prints it; one of another curve has secp256k1: or ed25519: before it',
    );
  return { curve, publicKey };
}

function metricsAddress(env: Environment, host: string, port: number): Config['metrics'] {
  if (!env.METRICS_PORT) {
    if (env.METRICS_HOST) throw new ConfigError('METRICS_HOST needs METRICS_PORT: /metrics is on PORT where that is not set');
    return undefined;
  }
  const own = whole(env, 'METRICS_PORT', 0, 0, 65_535);
  if (own === port && own !== 0) throw new ConfigError(`METRICS_PORT must differ from PORT, which is ${port}`);
  // One address: what collects them is told one.
  return { host: env.METRICS_HOST || (host === 'localhost' ? '127.0.0.1' : host), port: own };
}

function outboundAllow(env: Environment): Allowed {
  try {
    return parseAllowed(env.OUTBOUND_ALLOW ?? '');
  } catch (error) {
    throw new ConfigError(`OUTBOUND_ALLOW must be host:port,host:port,…: ${(error as Error).message}`);
  }
}

function messages(env: Environment): MessageSettings {
  const texts = {
    devOutbox: oneOf(env, 'DEV_OUTBOX', ['0', '1'], '0') === '1',
    smtpUrl: secret(env, 'SMTP_URL') ?? '',
    mailFrom: env.MAIL_FROM ?? '',
    senderDomains: env.MAIL_SENDER_DOMAINS ?? '',
    checkDns: oneOf(env, 'MAIL_CHECK_DNS', ['0', '1'], '0') === '1',
    smsProvider: env.SMS_PROVIDER ? oneOf(env, 'SMS_PROVIDER', ['twilio', 'webhook'], 'twilio') : ('' as const),
    smsFrom: env.SMS_FROM ?? '',
    accountSid: env.TWILIO_ACCOUNT_SID ?? '',
    authToken: secret(env, 'TWILIO_AUTH_TOKEN') ?? '',
    twilioUrl: env.TWILIO_URL ?? '',
    webhookUrl: env.SMS_WEBHOOK_URL ?? '',
    webhookSecret: secret(env, 'SMS_WEBHOOK_SECRET') ?? '',
  };
  try {
    return messageSettings(texts);
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}

/** `none`: no issuer but the service itself. */
function oidcIssuers(env: Environment): string[] | undefined {
  const named = (env.OIDC_ISSUERS ?? '')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  if (named.length === 0) return undefined;
  if (named.length === 1 && named[0] === 'none') return [];
  for (const issuer of named)
    if (!isWebUrl(issuer))
      throw new ConfigError(`OIDC_ISSUERS must be URLs of issuers, with commas between, or none, not "${issuer}"`);
  return named;
}

function providerUrl(env: Environment, name: 'OAUTH2_X_URL' | 'OAUTH2_DISCORD_URL'): string | undefined {
  const text = env[name];
  if (!text) return undefined;
  if (!isWebUrl(text)) throw new ConfigError(`${name} must be a URL that starts with http:// or https://, not "${text}"`);
  return text.replace(/\/+$/, '');
}

const MOST_PROXIES = 100;

function trustedProxies(env: Environment): string[] {
  const given = (env.TRUSTED_PROXIES ?? '').split(',').map((text) => text.trim());
  const named = given.filter((text) => text !== '');
  if (named.length > MOST_PROXIES) throw new ConfigError(`TRUSTED_PROXIES must name at most ${MOST_PROXIES} blocks`);
  return named.map((text) => {
    const block = parseBlock(text);
    if (block === undefined)
      throw new ConfigError(
        `TRUSTED_PROXIES must be addresses, or blocks such as 10.0.0.0/8, with commas between, not "${text}"`,
      );
    if (block.prefix === 0)
      throw new ConfigError(`TRUSTED_PROXIES must not name "${text}": everybody could then say where they come from`);
    return block.cidr;
  });
}

function limits(env: Environment): Limits {
  const entries = Object.entries(DEFAULT_LIMITS).map(([name, fallback]) => [
    name,
    whole(env, limitSetting(name), fallback, 0, 1_000_000_000),
  ]);
  return Object.fromEntries(entries) as Limits;
}

function urlOf(host: string, port: number): string {
  // Browsers give no passkey to a page of an IP address.
  const isHere = ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host);
  const shown = isHere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${shown}:${port}`;
}

/** The configuration with the actual port where PORT is 0. */
export function onPort(config: Config, port: number): Config {
  const { host, baseUrl } = config;
  return Object.freeze({ ...config, port, baseUrl: baseUrl === urlOf(host, config.port) ? urlOf(host, port) : baseUrl });
}

function withoutEffect(env: Environment): string[] {
  const ineffective: string[] = [];
  if (env.DATABASE_POOL && !(env.DATABASE_URL || env.DATABASE_URL_FILE))
    ineffective.push('DATABASE_POOL has no effect without DATABASE_URL: the database is SQLite in DATA_DIR');
  if (env.SQLITE_CACHE_MB && (env.DATABASE_URL || env.DATABASE_URL_FILE))
    ineffective.push('SQLITE_CACHE_MB has no effect with DATABASE_URL: the database is PostgreSQL');
  if (env.ROOT_KEY_PATH && env.ROOT_KEY_PROVIDER === 'passphrase')
    ineffective.push('ROOT_KEY_PATH has no effect with ROOT_KEY_PROVIDER=passphrase');
  return [...ineffective, ...messagesWithoutEffect(env), ...unknownSettings(env, SETTINGS)];
}

function dangerous(env: Environment): string[] {
  if (env.OTP_SANDBOX !== '1') return [];
  return [
    'OTP_SANDBOX=1: everybody knows the one-time code 000000 of user@example.com and +1 999-999-9999, and can log in as whoever has them. Unset it where real users are',
  ];
}

/** The only reader of the environment. Throws ConfigError. */
export function readConfig(env: Environment = process.env): Config {
  const host = env.HOST || 'localhost';
  const port = whole(env, 'PORT', 8080, 0, 65_535);
  const dataDir = resolve(env.DATA_DIR || './data');
  const databaseUrl = secret(env, 'DATABASE_URL');
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    throw new ConfigError('DATABASE_URL must start with postgres:// (leave it unset for the embedded SQLite database)');
  }
  if (databaseUrl !== undefined && !isUrl(databaseUrl))
    throw new ConfigError(
      'DATABASE_URL is no URL: special characters of the user and the password must be percent-encoded (/ is %2F)',
    );
  if (env.BASE_URL && !isWebUrl(env.BASE_URL))
    throw new ConfigError(`BASE_URL must be a URL that starts with http:// or https://, not "${env.BASE_URL}"`);
  return Object.freeze({
    host,
    port,
    baseUrl: (env.BASE_URL || urlOf(host, port)).replace(/\/+$/, ''),
    addressIsSet: Boolean(env.BASE_URL || env.PORT),
    dataDir,
    databaseUrl,
    databasePool: whole(env, 'DATABASE_POOL', 16, 1, 1000),
    policyCacheMb: whole(env, 'POLICY_CACHE_MB', 256, 1, 1_000_000),
    sqliteCacheMb: whole(env, 'SQLITE_CACHE_MB', 64, 1, 1_000_000),
    rootKey: rootKey(env, dataDir),
    rootUserKey: rootUserKey(env),
    logLevel: oneOf(env, 'LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info'),
    metrics: metricsAddress(env, host, port),
    maxConnections: whole(env, 'MAX_CONNECTIONS', 1000, 1, 100_000),
    trustedProxies: trustedProxies(env),
    strictInput: oneOf(env, 'STRICT_INPUT', ['0', '1'], '0') === '1',
    outboundAllow: outboundAllow(env),
    oidcIssuers: oidcIssuers(env),
    oauth2Urls: {
      OAUTH2_PROVIDER_X: providerUrl(env, 'OAUTH2_X_URL'),
      OAUTH2_PROVIDER_DISCORD: providerUrl(env, 'OAUTH2_DISCORD_URL'),
    },
    allowCreateOrganization: oneOf(env, 'ALLOW_CREATE_ORGANIZATION', ['0', '1'], '0') === '1',
    otpSandbox: oneOf(env, 'OTP_SANDBOX', ['0', '1'], '0') === '1',
    messages: messages(env),
    limits: limits(env),
    warnings: [...withoutEffect(env), ...dangerous(env)],
  });
}

const isWebUrl = (text: string): boolean => /^https?:\/\//.test(text) && isUrl(text);

/** Also decodes, as the database driver will. */
function isUrl(text: string): boolean {
  try {
    const { username, password } = new URL(text);
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

/** Query parameters of a database URL that are not secret. */
const SHOWN_PARAMETERS = ['sslmode', 'application_name', 'host', 'port', 'options', 'connect_timeout'];

function withoutPassword(text: string): string {
  const url = new URL(text);
  if (url.password) url.password = '***';
  for (const name of [...url.searchParams.keys()]) if (!SHOWN_PARAMETERS.includes(name)) url.searchParams.set(name, '***');
  return url.toString();
}

/** The effective configuration for display, without passphrase and password. */
export function withoutSecrets(config: Config): Record<string, unknown> {
  const url = config.databaseUrl === undefined ? undefined : withoutPassword(config.databaseUrl);
  return {
    HOST: config.host,
    PORT: config.port,
    BASE_URL: config.baseUrl,
    DATA_DIR: config.dataDir,
    DATABASE_URL: url ?? `(unset: SQLite in ${join(config.dataDir, DATABASE_FILE)})`,
    DATABASE_POOL: config.databasePool,
    POLICY_CACHE_MB: config.policyCacheMb,
    SQLITE_CACHE_MB: config.sqliteCacheMb,
    ROOT_KEY_PROVIDER: config.rootKey.provider,
    ...(config.rootKey.provider === 'file' ? { ROOT_KEY_PATH: config.rootKey.path } : { ROOT_PASSPHRASE: '***' }),
    ROOT_USER_PUBLIC_KEY: config.rootUserKey?.publicKey ?? '(unset)',
    LOG_LEVEL: config.logLevel,
    METRICS_HOST: config.metrics?.host ?? '(unset)',
    METRICS_PORT: config.metrics?.port ?? '(unset: /metrics is on PORT)',
    MAX_CONNECTIONS: config.maxConnections,
    TRUSTED_PROXIES: config.trustedProxies.join(',') || '(unset)',
    STRICT_INPUT: config.strictInput ? 1 : 0,
    OUTBOUND_ALLOW: [...config.outboundAllow].join(',') || '(unset)',
    OIDC_ISSUERS: config.oidcIssuers === undefined ? '(unset: all)' : config.oidcIssuers.join(',') || 'none',
    OAUTH2_X_URL: config.oauth2Urls.OAUTH2_PROVIDER_X ?? '(unset)',
    OAUTH2_DISCORD_URL: config.oauth2Urls.OAUTH2_PROVIDER_DISCORD ?? '(unset)',
    ALLOW_CREATE_ORGANIZATION: config.allowCreateOrganization ? 1 : 0,
    OTP_SANDBOX: config.otpSandbox ? 1 : 0,
    ...shownMessages(config.messages),
    ...Object.fromEntries(Object.entries(config.limits).map(([name, value]) => [limitSetting(name), value])),
  };
}
