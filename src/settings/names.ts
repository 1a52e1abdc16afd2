import { DEFAULT_LIMITS } from '../model/limits.ts';

/** One setting for each limit: LIMIT_USERS, LIMIT_POLICIES, … */
export const limitSetting = (name: string): LimitSetting => `LIMIT_${name.replace(/[A-Z]/g, (c) => `_${c}`).toUpperCase()}`;

type LimitSetting = `LIMIT_${string}`;
type ChainSetting = `RPC_URL_EIP155_${string}`;
export type Secret = (typeof SECRETS)[number];
export type Setting = (typeof PLAIN)[number] | Secret | `${Secret}_FILE` | LimitSetting | ChainSetting;
export type Environment = { readonly [name in Setting]?: string | undefined };

const SECRETS = [
  'DATABASE_URL',
  'ROOT_PASSPHRASE',
  'ROOT_KEY_PIN',
  'SMTP_URL',
  'TWILIO_AUTH_TOKEN',
  'SMS_WEBHOOK_SECRET',
  'TURNSTILE_SECRET_KEY',
  'APPS_TOKEN',
  'RPC_URLS',
  'GAS_PRICES_URL',
  'DEPLOYER_KEY',
  'BACKUP_PASSPHRASE',
  'AUDIT_SHIP_HEADERS',
] as const;

export const isSecret = (name: string): boolean => SECRETS.some((secret) => name === secret || name === `${secret}_FILE`);

const PLAIN = [
  'HOST',
  'PORT',
  'BASE_URL',
  'DATA_DIR',
  'DATABASE_POOL',
  'DATABASE_STATEMENT_SECONDS',
  'DATABASE_LONG_STATEMENT_SECONDS',
  'POLICY_CACHE_MB',
  'SQLITE_CACHE_MB',
  'ROOT_KEY_PROVIDER',
  'ROOT_KEY_PATH',
  'ROOT_KEY',
  'ROOT_KEY_URL',
  'ROOT_KEY_NAME',
  'ROOT_KEY_MOUNT',
  'ROOT_KEY_NAMESPACE',
  'ROOT_KEY_TOKEN_PATH',
  'ROOT_KEY_REGION',
  'ROOT_KEY_MODULE',
  'ROOT_KEY_SLOT',
  'ROOT_USER_PUBLIC_KEY',
  'OPERATOR_RECOVERY',
  'OPERATOR_RECOVERY_DELAY',
  'LOG_LEVEL',
  'METRICS_PORT',
  'METRICS_HOST',
  'AUTH_PROXY_PORT',
  'AUTH_PROXY_HOST',
  'FRAMES',
  'FRAMES_PORT',
  'FRAMES_HOST',
  'FRAMES_URL',
  'FRAMES_ALLOWED_ORIGINS',
  'MAX_CONNECTIONS',
  'TRUSTED_PROXIES',
  'RATE_UNSTAMPED',
  'RATE_ORGANIZATION',
  'RATE_SUB_ORGANIZATION',
  'RATE_USER',
  'STRICT_INPUT',
  'APP_PROOFS',
  'OUTBOUND_ALLOW',
  'OIDC_ISSUERS',
  'OAUTH2_X_URL',
  'OAUTH2_DISCORD_URL',
  'ONRAMP_COINBASE_URL',
  'ONRAMP_COINBASE_SANDBOX_URL',
  'ONRAMP_MOONPAY_URL',
  'ONRAMP_MOONPAY_SANDBOX_URL',
  'ONRAMP_SEND_CLIENT_IP',
  'APPS_DOMAIN',
  'APPS_SOCKET',
  'APPS_TLS_HOST',
  'APPS_TLS_PORT',
  'APPS_TLS_CERT',
  'APPS_TLS_KEY',
  'APPS_SERVICE_URL',
  'APPS_CA',
  'APPS_RUNNER',
  'APPS_FOLDER',
  'APPS_IMAGES_DIR',
  'APPS_UIDS',
  'APPS_MOST',
  'APPS_MEMORY_MB',
  'APPS_PROCESSES',
  'APPS_CPUS',
  'APPS_TMP_MB',
  'APPS_HOST',
  'APPS_PORT',
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
  'RPC_URL_SOLANA_MAINNET',
  'RPC_URL_SOLANA_DEVNET',
  'TOKENS',
  'GAS_PRICES_USD',
  'GAS_PRICES_MAX_AGE_SECONDS',
  'GAS_LOW_BALANCE_USD',
  'GAS_RENT_LAMPORTS',
  'GAS_SPONSORED_ORGANIZATIONS',
  'GAS_STATIONS',
  'SEND_FEE_LIMIT_PERCENT',
  'SEND_FINALITY_BLOCKS',
  'SCAN',
  'SCAN_SOLANA_ADDRESSES',
  'USAGE_INTERVAL_SECONDS',
  'AUDIT_SHIP',
  'BACKUP_RECIPIENT',
  'TURNSTILE_SITE_KEY',
  'TURNSTILE_HOSTNAMES',
  'TURNSTILE_ACTION',
  'TURNSTILE_URL',
] as const;

/** One setting for each EVM chain, with any id, and the settings for Solana. */
export const CHAIN_SETTING = /^RPC_URL_(?:EIP155_\w+|SOLANA_MAINNET|SOLANA_DEVNET)$/;

/**
 * All settings except RPC_URL_EIP155_N, which exists once for each chain. The type check fails if the program reads a setting that is
 * not listed here.
 */
export const SETTINGS: readonly Setting[] = [
  ...PLAIN,
  ...SECRETS.flatMap((name) => [name, `${name}_FILE`] as const),
  ...Object.keys(DEFAULT_LIMITS).map(limitSetting),
];
