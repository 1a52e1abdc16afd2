import type { Environment } from './names.ts';
import { ConfigError } from './read.ts';

export type AppsSettings = {
  /** Each verifiable app has a host of its own below it. */
  domain: string;
};

const HOST = /^(?=.{1,200}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

export function appsSettings(env: Environment): AppsSettings {
  const domain = env.APPS_DOMAIN || 'localhost';
  if (!HOST.test(domain))
    throw new ConfigError(`APPS_DOMAIN must be a host name in lower case, such as apps.example.net: ${domain}`);
  return { domain };
}

export const shownApps = ({ domain }: AppsSettings): Readonly<Record<string, string>> => ({ APPS_DOMAIN: domain });
