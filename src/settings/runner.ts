import { isAbsolute, join } from 'node:path';
import { appsToken } from './apps.ts';
import { CHAIN_SETTING, type Environment, isSecret, type Setting } from './names.ts';
import { ConfigError, whole } from './read.ts';

export type RunnerSettings = {
  isOn: boolean;
  /** For sockets and copies of executables. */
  folder: string;
  /** Local images are below it. Undefined: there are none. */
  imagesDir: string | undefined;
  uids: { first: number; count: number };
  /** Deployments at a time. */
  most: number;
  /** Of each app, at most. */
  limits: { memoryBytes: number; processes: number; cpus: number; tmpBytes: number };
  host: string;
  port: number;
  /** Of the service on another machine, and the file of its certificate. '' for none. */
  serviceUrl: string;
  ca: string;
};

const MIB = 1024 * 1024;
/** User IDs of which systemd says that nothing uses them. */
const UIDS = '1990000000-1990000511';
const LARGEST_UID = 4_294_967_293;

function absolute(env: Environment, name: Setting, fallback: string): string;
function absolute(env: Environment, name: Setting): string | undefined;
function absolute(env: Environment, name: Setting, fallback?: string): string | undefined {
  const given = env[name] || fallback;
  if (given === undefined) return undefined;
  if (!isAbsolute(given)) throw new ConfigError(`${name} must be an absolute path, not "${given}"`);
  return join(given);
}

/** The first is for the forwarders, and each app has one of its own. */
function uidsOf(env: Environment, most: number): RunnerSettings['uids'] {
  const text = env.APPS_UIDS || UIDS;
  const [, from, to] = /^(\d{1,10})-(\d{1,10})$/.exec(text) ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (!(first > 0 && last <= LARGEST_UID && last - first >= most))
    throw new ConfigError(`APPS_UIDS must be a range such as ${UIDS}, with more user IDs than APPS_MOST, not "${text}"`);
  return { first, count: last - first + 1 };
}

function cpusOf(env: Environment): number {
  const text = env.APPS_CPUS || '1';
  if (!/^\d{1,3}(\.\d{1,2})?$/.test(text) || Number(text) < 0.05)
    throw new ConfigError(`APPS_CPUS must be a number of processors such as 0.5, at least 0.05, not "${text}"`);
  return Number(text);
}

export function runnerSettings(env: Environment): RunnerSettings {
  const turned = env.APPS_RUNNER || 'off';
  if (turned !== 'on' && turned !== 'off') throw new ConfigError(`APPS_RUNNER must be on or off, not "${turned}"`);
  const most = whole(env, 'APPS_MOST', 16, 1, 256);
  return {
    isOn: turned === 'on',
    folder: absolute(env, 'APPS_FOLDER', '/var/lib/countersign-runner'),
    imagesDir: absolute(env, 'APPS_IMAGES_DIR'),
    uids: uidsOf(env, most),
    most,
    limits: {
      memoryBytes: whole(env, 'APPS_MEMORY_MB', 256, 4, 1_000_000) * MIB,
      processes: whole(env, 'APPS_PROCESSES', 64, 1, 100_000),
      cpus: cpusOf(env),
      tmpBytes: whole(env, 'APPS_TMP_MB', 64, 1, 1_000_000) * MIB,
    },
    host: env.APPS_HOST || 'localhost',
    port: whole(env, 'APPS_PORT', 8090, 0, 65_535),
    serviceUrl: env.APPS_SERVICE_URL ?? '',
    ca: env.APPS_CA ?? '',
  };
}

export const shownRunner = (settings: RunnerSettings): Readonly<Record<string, string | number>> => ({
  APPS_RUNNER: settings.isOn ? 'on' : 'off',
  APPS_FOLDER: settings.folder,
  APPS_IMAGES_DIR: settings.imagesDir ?? '(unset: no local images)',
  APPS_UIDS: `${settings.uids.first}-${settings.uids.first + settings.uids.count - 1}`,
  APPS_MOST: settings.most,
  APPS_MEMORY_MB: settings.limits.memoryBytes / MIB,
  APPS_PROCESSES: settings.limits.processes,
  APPS_CPUS: settings.limits.cpus,
  APPS_TMP_MB: settings.limits.tmpBytes / MIB,
  APPS_HOST: settings.host,
  APPS_PORT: settings.port,
  APPS_SERVICE_URL: settings.serviceUrl || '(unset)',
  APPS_CA: settings.ca || '(unset)',
});

/** Settings of the service that hold secrets or lead to them: the runner has none of them. */
const isForeign = (name: string): boolean =>
  (isSecret(name) && !name.startsWith('APPS_TOKEN')) || CHAIN_SETTING.test(name) || /^(?:DATABASE_|ROOT_|TWILIO_)/.test(name);

/** Throws unless this is the environment of a runner, which is asked for. */
export function requireRunner(env: Readonly<Record<string, string | undefined>>, isOn: boolean): void {
  if (!isOn) throw new ConfigError('APPS_RUNNER is off: set APPS_RUNNER=on for a process that runs verifiable apps');
  const foreign = Object.keys(env).filter((name) => isForeign(name) && env[name]);
  if (foreign.length > 0)
    throw new ConfigError(
      `the environment of the runner has ${foreign.sort().join(', ')} of the service: unset them, since an app must not inherit what they give`,
    );
  // The default would be a folder beside a program elsewhere, and its absence would prove nothing. Another machine has none.
  if (!env.DATA_DIR && !env.APPS_SERVICE_URL)
    throw new ConfigError('DATA_DIR is unset: set it to the folder of the service. The runner checks that it is hidden');
}

/** How a runner reaches the service: over the socket of this machine, or over TLS. `ca`: a file in PEM. */
export type ServicePlace = { socket: string } | { url: string; token: string; ca: string | undefined };

export function servicePlace(env: Environment, socket: string | undefined): ServicePlace {
  const { APPS_SERVICE_URL: url, APPS_CA: ca } = env;
  if (socket !== undefined && url) throw new ConfigError('APPS_SOCKET and APPS_SERVICE_URL are both set: leave one of them out');
  if (socket !== undefined) return { socket };
  if (!url)
    throw new ConfigError(
      'APPS_SOCKET is unset: set it to the Unix socket of the service, which has the same setting. For a service on another machine set APPS_SERVICE_URL',
    );
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'https:' || parsed.username !== '' || parsed.pathname !== '/' || parsed.search !== '')
    throw new ConfigError(`APPS_SERVICE_URL must be an https URL such as https://sign.internal:8443, without a path`);
  const token = appsToken(env);
  if (token === undefined) throw new ConfigError('APPS_SERVICE_URL needs APPS_TOKEN, the same as that of the service');
  return { url: parsed.origin, token, ca: ca || undefined };
}
