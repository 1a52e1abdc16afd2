import type { Environment } from './names.ts';
import { demandFreePort, type OwnAddress, urlOf } from './network.ts';
import { ConfigError, oneOf, webUrl, whole } from './read.ts';

export type ConsoleSettings = {
  isOn: boolean;
  /** A separate address, instead of PORT. */
  at: OwnAddress | undefined;
  /** The origin at which browsers find it. Undefined: that of BASE_URL. */
  url: string | undefined;
};

const hostOf = (url: string): string => new URL(url).hostname.replace(/\.$/, '');
const isHere = (host: string): boolean => /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(host);

function originOf(url: string): string {
  if (new URL(url).origin !== url)
    throw new ConfigError(`CONSOLE_URL must be an origin such as https://console.sign.example.com, not "${url}"`);
  if (url.startsWith('http:') && !isHere(hostOf(url)))
    throw new ConfigError(`CONSOLE_URL must start with https://, not "${url}": browsers have no ciphers for pages without it`);
  return url;
}

/** A page may use the passkeys of its own host, and of hosts above it (WebAuthn §5.1.3). */
function demandPasskeys(url: string, baseUrl: string, isSet: boolean): void {
  const [host, own] = [hostOf(url), hostOf(baseUrl)];
  if (host === own || host.endsWith(`.${own}`)) return;
  const name = isSet ? 'CONSOLE_URL' : 'CONSOLE_PORT needs CONSOLE_URL, which';
  throw new ConfigError(
    `${name} must have the host of BASE_URL, ${own}, or one below it, such as https://console.${own}: ` +
      `passkeys belong to ${own}, and a page of ${host} cannot use them`,
  );
}

/** Where the console is. Throws ConfigError. */
export function consoleSettings(env: Environment, host: string, port: number, baseUrl: string): ConsoleSettings {
  const isOn = oneOf(env, 'CONSOLE', ['on', 'off'], 'on') === 'on';
  const set = webUrl(env, 'CONSOLE_URL');
  if (!env.CONSOLE_PORT) {
    if (env.CONSOLE_HOST) throw new ConfigError('CONSOLE_HOST needs CONSOLE_PORT: without it, the console is on PORT');
    if (set) throw new ConfigError('CONSOLE_URL needs CONSOLE_PORT: without it, the console is at BASE_URL');
    return { isOn, at: undefined, url: undefined };
  }
  // Printed links have it, so it is known before the start.
  const own = whole(env, 'CONSOLE_PORT', 0, 1, 65_535);
  demandFreePort('CONSOLE_PORT', own, { ...env, PORT: String(port) }, ['PORT', 'METRICS_PORT', 'AUTH_PROXY_PORT', 'FRAMES_PORT']);
  const at = { host: env.CONSOLE_HOST || host, port: own };
  const url = originOf(set ?? urlOf(at.host, own));
  demandPasskeys(url, baseUrl, set !== undefined);
  return isOn ? { isOn, at, url } : { isOn, at: undefined, url: undefined };
}

export const shownConsole = ({ isOn, at, url }: ConsoleSettings): Record<string, unknown> => ({
  CONSOLE: isOn ? 'on' : 'off',
  CONSOLE_HOST: at?.host ?? '(unset)',
  CONSOLE_PORT: at?.port ?? '(unset: the console is on PORT)',
  CONSOLE_URL: url ?? '(unset)',
});
