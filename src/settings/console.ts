import { UUID } from '../base/ids.ts';
import { relyingPartyIds } from '../model/passkey-origins.ts';
import type { Environment } from './names.ts';
import { demandFreePort, type OwnAddress, urlOf } from './network.ts';
import { ConfigError, isWebUrl, oneOf, webUrl, whole } from './read.ts';

/** How people sign in to the console without a key. */
export type ConsoleLogins = {
  /** The id of the auth proxy's configuration that sends codes. */
  authProxy: string | undefined;
  /** Where an OpenID provider authorizes, with the client's id. */
  oidcUrl: string | undefined;
};

export type ConsoleSettings = ConsoleLogins & {
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

const allows = (url: string, relyingParty: string): boolean => relyingPartyIds(url)?.includes(relyingParty) ?? false;

/** A page may use passkeys of its own host, and of hosts above it with a dot (WebAuthn §5.1.3). */
function demandPasskeys(url: string, baseUrl: string, isSet: boolean): void {
  const [host, own] = [hostOf(url), hostOf(baseUrl)];
  if (host === own || allows(url, own)) return;
  const name = isSet ? 'CONSOLE_URL' : 'CONSOLE_PORT needs CONSOLE_URL, which';
  const below = `https://console.${own}`;
  throw new ConfigError(
    `${name} must have the host of BASE_URL, ${own}${allows(below, own) ? `, or one below it, such as ${below}` : ''}: ` +
      `passkeys belong to ${own}, and a page of ${host} cannot use them`,
  );
}

function demandRequests(url: string, baseUrl: string): void {
  if (url.startsWith('https:') && baseUrl.startsWith('http:') && !isHere(hostOf(baseUrl)))
    throw new ConfigError(
      `CONSOLE_URL has https and BASE_URL, ${baseUrl}, has none: browsers block such requests. Set a BASE_URL with https`,
    );
}

function authProxyOf({ CONSOLE_AUTH_PROXY: id, AUTH_PROXY_PORT }: Environment): string | undefined {
  if (!id) return undefined;
  if (!UUID.test(id)) throw new ConfigError(`CONSOLE_AUTH_PROXY must be a UUID, the configId of an auth proxy, not "${id}"`);
  if (AUTH_PROXY_PORT) throw new ConfigError('CONSOLE_AUTH_PROXY needs the auth proxy on PORT: leave AUTH_PROXY_PORT unset');
  return id.toLowerCase();
}

const LONGEST_URL = 2048;
/** The console sets these for each sign-in. */
const SET_BY_CONSOLE = ['response_type', 'response_mode', 'redirect_uri', 'nonce', 'state'];

function oidcUrlOf({ CONSOLE_OIDC_URL: text }: Environment): string | undefined {
  if (!text) return undefined;
  const url = isWebUrl(text) && text.length <= LONGEST_URL ? new URL(text) : undefined;
  if (!url?.searchParams.get('client_id') || url.username || url.hash)
    throw new ConfigError(
      'CONSOLE_OIDC_URL must be the authorization endpoint of an OpenID provider with a client’s id and no password, ' +
        'such as https://login.example.com/authorize?client_id=console',
    );
  if (url.protocol === 'http:' && !isHere(hostOf(text))) throw new ConfigError('CONSOLE_OIDC_URL must start with https://');
  if (url.searchParams.has('client_secret'))
    throw new ConfigError('CONSOLE_OIDC_URL must not have client_secret: each browser gets this address');
  const wrong = SET_BY_CONSOLE.find((name) => url.searchParams.has(name));
  if (wrong !== undefined) throw new ConfigError(`CONSOLE_OIDC_URL must not have ${wrong}: the console sets it`);
  return url.href;
}

const NO_LOGINS: ConsoleLogins = { authProxy: undefined, oidcUrl: undefined };

/** Where the console is, and how people sign in to it. Throws ConfigError. */
export function consoleSettings(env: Environment, host: string, port: number, baseUrl: string): ConsoleSettings {
  const isOn = oneOf(env, 'CONSOLE', ['on', 'off'], 'on') === 'on';
  const logins = isOn ? { authProxy: authProxyOf(env), oidcUrl: oidcUrlOf(env) } : NO_LOGINS;
  const set = webUrl(env, 'CONSOLE_URL');
  if (!env.CONSOLE_PORT) {
    if (env.CONSOLE_HOST) throw new ConfigError('CONSOLE_HOST needs CONSOLE_PORT: without it, the console is on PORT');
    if (set) throw new ConfigError('CONSOLE_URL needs CONSOLE_PORT: without it, the console is at BASE_URL');
    return { isOn, at: undefined, url: undefined, ...logins };
  }
  // Printed links have it, so it is known before the start.
  const own = whole(env, 'CONSOLE_PORT', 0, 1, 65_535);
  demandFreePort('CONSOLE_PORT', own, { ...env, PORT: String(port) }, ['PORT', 'METRICS_PORT', 'AUTH_PROXY_PORT', 'FRAMES_PORT']);
  const at = { host: env.CONSOLE_HOST || host, port: own };
  const url = originOf(set ?? urlOf(at.host, own));
  demandPasskeys(url, baseUrl, set !== undefined);
  demandRequests(url, baseUrl);
  return { isOn, ...(isOn ? { at, url } : { at: undefined, url: undefined }), ...logins };
}

export const shownConsole = ({ isOn, at, url, authProxy, oidcUrl }: ConsoleSettings): Record<string, unknown> => ({
  CONSOLE: isOn ? 'on' : 'off',
  CONSOLE_HOST: at?.host ?? '(unset)',
  CONSOLE_PORT: at?.port ?? '(unset: the console is on PORT)',
  CONSOLE_URL: url ?? '(unset)',
  CONSOLE_AUTH_PROXY: authProxy ?? '(unset: no codes by mail)',
  CONSOLE_OIDC_URL: oidcUrl ?? '(unset: no sign-in by a provider)',
});
