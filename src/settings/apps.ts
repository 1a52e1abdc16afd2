import { isAbsolute, join, relative } from 'node:path';
import { LONGEST_SOCKET_PATH } from '../base/unix-socket.ts';
import type { Environment } from './names.ts';
import { ConfigError } from './read.ts';

export type AppsSettings = {
  /** Each verifiable app has a host of its own below it. */
  domain: string;
  /** The Unix socket for runners. Undefined: no app runs. */
  socket: string | undefined;
};

const HOST = /^(?=.{1,200}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

export function appsSettings(env: Environment, dataDir: string): AppsSettings {
  const domain = env.APPS_DOMAIN || 'localhost';
  if (!HOST.test(domain))
    throw new ConfigError(`APPS_DOMAIN must be a host name in lower case, such as apps.example.net: ${domain}`);
  return { domain, socket: socketOf(env.APPS_SOCKET, dataDir) };
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

export const shownApps = ({ domain, socket }: AppsSettings): Readonly<Record<string, string>> => ({
  APPS_DOMAIN: domain,
  APPS_SOCKET: socket ?? '(unset: no app runs)',
});
