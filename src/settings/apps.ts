import { isAbsolute, join, relative } from 'node:path';
import { LONGEST_SOCKET_PATH } from '../base/unix-socket.ts';
import type { Environment } from './names.ts';
import { ConfigError, secret, whole } from './read.ts';

export type AppsSettings = {
  /** Each verifiable app has a host of its own below it. */
  domain: string;
  /** The Unix socket for runners. Undefined, as `tls`: no app runs. */
  socket: string | undefined;
  /** Where runners on other machines connect. */
  tls: AppsTls | undefined;
};

export type AppsTls = { host: string; port: number; cert: string; key: string; token: string };

const HOST = /^(?=.{1,200}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

export function appsSettings(env: Environment, dataDir: string): AppsSettings {
  const domain = env.APPS_DOMAIN || 'localhost';
  if (!HOST.test(domain))
    throw new ConfigError(`APPS_DOMAIN must be a host name in lower case, such as apps.example.net: ${domain}`);
  return { domain, socket: socketOf(env.APPS_SOCKET, dataDir), tls: tlsOf(env) };
}

const SHORTEST_TOKEN = 32;

/** What runners on other machines show. Undefined if it is unset. */
export function appsToken(env: Environment): string | undefined {
  const token = secret(env, 'APPS_TOKEN');
  if (token !== undefined && (token.length < SHORTEST_TOKEN || /[^\x21-\x7e]/.test(token)))
    throw new ConfigError(
      `APPS_TOKEN must have at least ${SHORTEST_TOKEN} visible ASCII characters: openssl rand -hex 32 makes one`,
    );
  return token;
}

function tlsOf(env: Environment): AppsTls | undefined {
  const port = whole(env, 'APPS_TLS_PORT', 0, 0, 65_535);
  if (port === 0) return undefined;
  const { APPS_TLS_CERT: cert, APPS_TLS_KEY: key } = env;
  const token = appsToken(env);
  if (!cert || !key || token === undefined)
    throw new ConfigError('APPS_TLS_PORT needs APPS_TLS_CERT and APPS_TLS_KEY, two files in PEM, and APPS_TOKEN');
  return { host: env.APPS_TLS_HOST || 'localhost', port, cert, key, token };
}

/** The socket is outside of the folder with keys and database, which no runner may open. */
function socketOf(given: string | undefined, dataDir: string): string | undefined {
  if (!given) return undefined;
  if (!isAbsolute(given) || Buffer.byteLength(given) > LONGEST_SOCKET_PATH)
    throw new ConfigError(`APPS_SOCKET must be an absolute path of at most ${LONGEST_SOCKET_PATH} bytes, not "${given}"`);
  const path = join(given);
  const inside = relative(dataDir, path);
  if (!inside.startsWith('..') && !isAbsolute(inside)) throw new ConfigError(`APPS_SOCKET must be outside of DATA_DIR: ${given}`);
  return path;
}

export const shownApps = ({ domain, socket, tls }: AppsSettings): Readonly<Record<string, string>> => ({
  APPS_DOMAIN: domain,
  APPS_SOCKET: socket ?? (tls === undefined ? '(unset: no app runs)' : '(unset)'),
  APPS_TLS_HOST: tls?.host ?? '(unset)',
  APPS_TLS_PORT: String(tls?.port ?? '(unset)'),
  APPS_TLS_CERT: tls?.cert ?? '(unset)',
  APPS_TLS_KEY: tls?.key ?? '(unset)',
  APPS_TOKEN: tls === undefined ? '(unset)' : '***',
});
