import type { TurnstileSettings } from '../model/turnstile.ts';
import type { Environment, Setting } from './names.ts';
import { ConfigError, isWebUrl, secret } from './read.ts';

const BESIDE: readonly Setting[] = ['TURNSTILE_HOSTNAMES', 'TURNSTILE_ACTION', 'TURNSTILE_URL'];

const isHostname = (text: string): boolean => /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(text);

function hostnamesOf(text: string): string[] {
  const named = text
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== '');
  for (const one of named)
    if (!isHostname(one))
      throw new ConfigError(`TURNSTILE_HOSTNAMES must be host names such as app.example.com, separated by commas, not "${one}"`);
  return named;
}

/** Undefined: the service has no captcha. */
export function captchaSettings(env: Environment): TurnstileSettings | undefined {
  const siteKey = env.TURNSTILE_SITE_KEY ?? '';
  const secretKey = secret(env, 'TURNSTILE_SECRET_KEY') ?? '';
  if (siteKey === '' && secretKey === '') return undefined;
  if (siteKey === '' || secretKey === '')
    throw new ConfigError('set both TURNSTILE_SITE_KEY and TURNSTILE_SECRET_KEY, or neither');
  const action = env.TURNSTILE_ACTION || undefined;
  if (action !== undefined && !/^[\w-]{1,32}$/.test(action))
    throw new ConfigError('TURNSTILE_ACTION must have at most 32 letters, digits, _ and -');
  const baseUrl = env.TURNSTILE_URL || 'https://challenges.cloudflare.com';
  if (!isWebUrl(baseUrl)) throw new ConfigError('TURNSTILE_URL must be a URL that starts with http:// or https://');
  return {
    siteKey,
    secretKey,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    hostnames: hostnamesOf(env.TURNSTILE_HOSTNAMES ?? ''),
    action,
  };
}

const UNSET = '(unset)';

/** For display, without the secret. */
export const shownCaptcha = (settings: TurnstileSettings | undefined): Record<string, unknown> => ({
  TURNSTILE_SITE_KEY: settings?.siteKey ?? UNSET,
  TURNSTILE_SECRET_KEY: settings ? '***' : UNSET,
  TURNSTILE_HOSTNAMES: settings?.hostnames.join(',') || UNSET,
  TURNSTILE_ACTION: settings?.action ?? UNSET,
  TURNSTILE_URL: settings?.baseUrl ?? UNSET,
});

/** A sentence for each setting that has no effect in combination with the others. */
export const captchaWithoutEffect = (env: Environment): string[] =>
  env.TURNSTILE_SITE_KEY
    ? []
    : BESIDE.filter((name) => env[name]).map((name) => `${name} has no effect without TURNSTILE_SITE_KEY`);
