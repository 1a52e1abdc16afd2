import type { KeyObject } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { DATABASE_FILE } from './base/files.ts';
import { DEFAULT_LIMITS, type Limits } from './model/limits.ts';
import type { TurnstileSettings } from './model/turnstile.ts';
import type { Allowed } from './outbound/allowed.ts';
import { type AppsSettings, appsSettings, shownApps } from './settings/apps.ts';
import { type BackupKeys, backupSettings, shownBackup } from './settings/backup.ts';
import { captchaSettings, shownCaptcha } from './settings/captcha.ts';
import { type ChainSettings, chains, shownChains } from './settings/chains.ts';
import { type ConsoleSettings, consoleSettings, shownConsole } from './settings/console.ts';
import { type DatabaseSettings, databaseSettings, shownDatabase } from './settings/database.ts';
import { type FrameSettings, frameSettings, shownFrames } from './settings/frames.ts';
import { type GasSettings, gasSettings, shownGas } from './settings/gas.ts';
import { type RootUserKey, rootUserKey } from './settings/keys.ts';
import { type Oauth2Urls, oauth2Urls, oidcIssuers } from './settings/logins.ts';
import { type MessageSettings, messageSettings, shownMessages } from './settings/messages.ts';
import { type Environment, limitSetting } from './settings/names.ts';
import { authProxyAddress, metricsAddress, type OwnAddress, outboundAllow, trustedProxies, urlOf } from './settings/network.ts';
import { type OnRampSettings, onRampSettings, shownOnRamps } from './settings/on-ramps.ts';
import { type RateSettings, rateSettings, shownRates } from './settings/rates.ts';
import { ConfigError, isWebUrl, oneOf, webUrl, whole } from './settings/read.ts';
import { type RecoverySettings, recoverySettings, shownRecovery } from './settings/recovery.ts';
import { ROOT_SETTINGS, type RootKeySettings, rootKey, shownRootKey } from './settings/root-key.ts';
import { type RunnerSettings, requireRunner, runnerSettings, servicePlace, shownRunner } from './settings/runner.ts';
import { type ScanSettings, scanSettings, shownScan } from './settings/scan.ts';
import { type SendSettings, sendSettings, shownSends } from './settings/sends.ts';
import { type ShipSettings, shipSettings, shownShipping } from './settings/shipping.ts';
import { type StationSettings, shownStations, stationDeployer, stationSettings } from './settings/station.ts';
import { shownTokens, type TokenSettings, tokenSettings } from './settings/tokens.ts';
import { shownTraces, type TraceSettings, traceSettings } from './settings/traces.ts';
import { warningsOf } from './settings/warnings.ts';

export { SETTINGS } from './settings/names.ts';
export { ConfigError } from './settings/read.ts';

export type Config = Readonly<ServiceSettings & DatabaseSettings>;

type ServiceSettings = {
  host: string;
  port: number;
  /** The base URL for clients, in messages and root-credentials.json. */
  baseUrl: string;
  /** Whether BASE_URL or PORT was set, so that `baseUrl` is not just the default. */
  addressIsSet: boolean;
  dataDir: string;
  /** Estimated memory for compiled policies, in megabytes. */
  policyCacheMb: number;
  /** The size of SQLite's page cache in megabytes. */
  sqliteCacheMb: number;
  rootKey: RootKeySettings;
  /** The root user's API key at the first start. Undefined: the service makes one. */
  rootUserKey: RootUserKey | undefined;
  /** Whether and when the operator may add a key to a root user. */
  recovery: RecoverySettings;
  logLevel: string;
  /** A separate address for /metrics, instead of `port`. */
  metrics: OwnAddress | undefined;
  /** A separate address for the auth proxy, instead of `port`. */
  authProxy: OwnAddress | undefined;
  /** The pages that apps embed. */
  frames: FrameSettings;
  /** The pages for people. */
  console: ConsoleSettings;
  maxConnections: number;
  /** Blocks of addresses of our own proxies. The service trusts only these to report the client's address. */
  trustedProxies: readonly string[];
  rates: RateSettings;
  /** Whether bodies with unknown members are refused. */
  strictInput: boolean;
  /** Activities that ask for them get app proofs. */
  appProofs: boolean;
  /** `host:port` of servers that requests may name at any address, and over http. */
  outboundAllow: Allowed;
  /** Issuers of OpenID tokens that are accepted besides the service itself. Undefined: all. */
  oidcIssuers: readonly string[] | undefined;
  oauth2Urls: Oauth2Urls;
  onRamps: OnRampSettings;
  apps: AppsSettings;
  /** Of `countersign runner`. The service itself does not use them. */
  runner: RunnerSettings;
  /** Whether anyone may create a top-level organization. */
  allowCreateOrganization: boolean;
  /** Whether the one-time codes for two test contacts, which belong to no person, are always the same. */
  otpSandbox: boolean;
  messages: MessageSettings;
  /** Networks with their RPC endpoints. */
  chains: readonly ChainSettings[];
  /** Assets, besides native coins, whose balances are shown. */
  tokens: TokenSettings;
  gas: GasSettings;
  /** Contracts for sponsored sends, if they are not the default ones. */
  stations: StationSettings;
  sends: SendSettings;
  /** The chains whose transactions are watched. */
  scan: ScanSettings;
  /** How often usage is summed. */
  usageIntervalMs: number;
  /** Where the record for auditors is shipped. */
  ship: ShipSettings | undefined;
  captcha: TurnstileSettings | undefined;
  /** Undefined: traces are off. */
  traces: TraceSettings | undefined;
  limits: Limits;
  /** Sentences about settings that have no effect, or are dangerous. */
  warnings: readonly string[];
};

function limits(env: Environment): Limits {
  const entries = Object.entries(DEFAULT_LIMITS).map(([name, fallback]) => [
    name,
    whole(env, limitSetting(name), fallback, 0, 1_000_000_000),
  ]);
  return Object.fromEntries(entries) as Limits;
}

const logLevelOf = (env: Environment): string =>
  oneOf(env, 'LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info');

/** The configuration with the actual port, if PORT is 0. */
export function onPort(config: Config, port: number): Config {
  const { host, baseUrl } = config;
  return Object.freeze({ ...config, port, baseUrl: baseUrl === urlOf(host, config.port) ? urlOf(host, port) : baseUrl });
}

/** The address of the console for people. */
export const consoleUrl = (config: Config): string => `${config.console.url ?? config.baseUrl}/console/`;

/** The configuration with the root key that shares gave. */
export const withRootKey = (config: Config, key: KeyObject): Config =>
  Object.freeze({ ...config, rootKey: { provider: 'shares' as const, key } });

/** The only code that reads the environment. The root key does not stay in it for later code. Throws ConfigError. */
export function readConfig(env: Environment = process.env): Config {
  const config = configFrom(env);
  if (env === process.env) for (const name of ['ROOT_KEY', 'ROOT_PASSPHRASE', 'ROOT_KEY_PIN']) delete process.env[name];
  return config;
}

/** The root key that `custody rotate-root` changes to: `provider`, by the settings with NEW_ in front. Throws ConfigError. */
export function readNewRootKey(
  provider: string,
  dataDir: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): RootKeySettings {
  const given = Object.fromEntries(ROOT_SETTINGS.map((name) => [name, env[`NEW_${name}`]]));
  try {
    return rootKey({ ...given, ROOT_KEY_PROVIDER: provider }, dataDir);
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(error.message.replace(/\bROOT_(?=[A-Z])/g, 'NEW_ROOT_')) : error;
  }
}

function configFrom(env: Environment): Config {
  const host = env.HOST || 'localhost';
  const port = whole(env, 'PORT', 8080, 0, 65_535);
  const dataDir = resolve(env.DATA_DIR || './data');
  const networks = chains(env);
  if (env.BASE_URL && !isWebUrl(env.BASE_URL))
    throw new ConfigError(`BASE_URL must be a URL that starts with http:// or https://, not "${env.BASE_URL}"`);
  const baseUrl = (env.BASE_URL || urlOf(host, port)).replace(/\/+$/, '');
  return Object.freeze({
    host,
    port,
    baseUrl,
    addressIsSet: Boolean(env.BASE_URL || env.PORT),
    dataDir,
    ...databaseSettings(env),
    policyCacheMb: whole(env, 'POLICY_CACHE_MB', 256, 1, 1_000_000),
    sqliteCacheMb: whole(env, 'SQLITE_CACHE_MB', 64, 1, 1_000_000),
    rootKey: rootKey(env, dataDir),
    rootUserKey: rootUserKey(env),
    recovery: recoverySettings(env),
    logLevel: logLevelOf(env),
    metrics: metricsAddress(env, host, port),
    authProxy: authProxyAddress(env, host, port),
    frames: frameSettings(env, host, port, baseUrl),
    console: consoleSettings(env, host, port, baseUrl),
    maxConnections: whole(env, 'MAX_CONNECTIONS', 1000, 1, 100_000),
    trustedProxies: trustedProxies(env),
    rates: rateSettings(env),
    strictInput: oneOf(env, 'STRICT_INPUT', ['0', '1'], '0') === '1',
    appProofs: oneOf(env, 'APP_PROOFS', ['on', 'off'], 'on') === 'on',
    outboundAllow: outboundAllow(env),
    oidcIssuers: oidcIssuers(env),
    oauth2Urls: oauth2Urls(env),
    onRamps: onRampSettings(env),
    apps: appsSettings(env, dataDir),
    runner: runnerSettings(env),
    allowCreateOrganization: oneOf(env, 'ALLOW_CREATE_ORGANIZATION', ['0', '1'], '0') === '1',
    otpSandbox: oneOf(env, 'OTP_SANDBOX', ['0', '1'], '0') === '1',
    messages: messageSettings(env),
    chains: networks,
    tokens: tokenSettings(env),
    gas: gasSettings(env),
    stations: stationSettings(env),
    sends: sendSettings(env),
    scan: scanSettings(env, networks),
    usageIntervalMs: whole(env, 'USAGE_INTERVAL_SECONDS', 10, 1, 3600) * 1000,
    ship: shipSettings(env),
    captcha: captchaSettings(env),
    traces: traceSettings(env),
    limits: limits(env),
    warnings: warningsOf(env),
  });
}

/** The key of the account that pays for the deployment of contracts. The service itself never reads it. */
export const deployerKey = (env: Environment = process.env): Buffer | undefined => stationDeployer(env);

/** The configuration of `countersign runner`, which reads nothing of the service. Throws ConfigError. */
export function readRunnerConfig(env: Environment = process.env) {
  const dataDir = resolve(env.DATA_DIR || './data');
  const apps = appsSettings(env, dataDir);
  const runner = runnerSettings(env);
  requireRunner(env, runner.isOn);
  return {
    ...runner,
    service: servicePlace(env, apps.socket),
    domain: apps.domain,
    /** Undefined: APPS_DOMAIN is compared by the service alone. */
    baseUrl: webUrl(env, 'BASE_URL'),
    dataDir,
    outboundAllow: outboundAllow(env),
    trustedProxies: trustedProxies(env),
    logLevel: logLevelOf(env),
  };
}

export type RunnerConfig = ReturnType<typeof readRunnerConfig>;

/** How copies are encrypted and opened. Only the commands for copies read it. */
export const backupKeys = (env: Environment = process.env): BackupKeys => backupSettings(env);

/** Of the command line: the profile of credentials that COUNTERSIGN_PROFILE names, and the folder of profiles. */
export function profileSettings(env: Readonly<Record<string, string | undefined>> = process.env) {
  const home = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return { name: env.COUNTERSIGN_PROFILE || undefined, folder: join(home, 'countersign', 'profiles') };
}

/** Whether the user of a terminal wants no colours: https://no-color.org */
export const noColour = (env: { NO_COLOR?: string | undefined } = process.env): boolean => Boolean(env.NO_COLOR);

/** The effective configuration for display, without passphrase and password. */
export function withoutSecrets(config: Config): Record<string, unknown> {
  return {
    HOST: config.host,
    PORT: config.port,
    BASE_URL: config.baseUrl,
    DATA_DIR: config.dataDir,
    ...shownDatabase(config, `(unset: SQLite in ${join(config.dataDir, DATABASE_FILE)})`),
    POLICY_CACHE_MB: config.policyCacheMb,
    SQLITE_CACHE_MB: config.sqliteCacheMb,
    ...shownRootKey(config.rootKey),
    ROOT_USER_PUBLIC_KEY: config.rootUserKey?.publicKey ?? '(unset)',
    ...shownRecovery(config.recovery),
    LOG_LEVEL: config.logLevel,
    METRICS_HOST: config.metrics?.host ?? '(unset)',
    METRICS_PORT: config.metrics?.port ?? '(unset: /metrics is on PORT)',
    AUTH_PROXY_HOST: config.authProxy?.host ?? '(unset)',
    AUTH_PROXY_PORT: config.authProxy?.port ?? '(unset: the auth proxy is on PORT)',
    ...shownFrames(config.frames),
    ...shownConsole(config.console),
    MAX_CONNECTIONS: config.maxConnections,
    TRUSTED_PROXIES: config.trustedProxies.join(',') || '(unset)',
    ...shownRates(config.rates),
    STRICT_INPUT: config.strictInput ? 1 : 0,
    APP_PROOFS: config.appProofs ? 'on' : 'off',
    OUTBOUND_ALLOW: [...config.outboundAllow].join(',') || '(unset)',
    OIDC_ISSUERS: config.oidcIssuers === undefined ? '(unset: all)' : config.oidcIssuers.join(',') || 'none',
    OAUTH2_X_URL: config.oauth2Urls.OAUTH2_PROVIDER_X ?? '(unset)',
    OAUTH2_DISCORD_URL: config.oauth2Urls.OAUTH2_PROVIDER_DISCORD ?? '(unset)',
    ...shownOnRamps(config.onRamps),
    ...shownApps(config.apps),
    ...shownRunner(config.runner),
    ALLOW_CREATE_ORGANIZATION: config.allowCreateOrganization ? 1 : 0,
    OTP_SANDBOX: config.otpSandbox ? 1 : 0,
    ...shownMessages(config.messages),
    ...shownChains(config.chains),
    ...shownTokens(config.tokens),
    ...shownGas(config.gas),
    ...shownStations(config.stations),
    ...shownSends(config.sends),
    ...shownScan(config.scan),
    ...shownBackup,
    USAGE_INTERVAL_SECONDS: config.usageIntervalMs / 1000,
    ...shownShipping(config.ship),
    ...shownCaptcha(config.captcha),
    ...shownTraces(config.traces),
    ...Object.fromEntries(Object.entries(config.limits).map(([name, value]) => [limitSetting(name), value])),
  };
}

/** The settings that differ from their defaults, without secrets. */
export function changedSettings(config: Config): Record<string, unknown> {
  const { host, port, dataDir } = config;
  const { HOST, PORT, DATA_DIR } = withoutSecrets(readConfig({}));
  // Other defaults depend on these three.
  const following = readConfig({ HOST: host, PORT: String(port), DATA_DIR: dataDir });
  const defaults: Record<string, unknown> = { ...withoutSecrets(following), HOST, PORT, DATA_DIR };
  return Object.fromEntries(Object.entries(withoutSecrets(config)).filter(([name, value]) => value !== defaults[name]));
}
