import { readFileSync } from 'node:fs';
import { ConfigError } from '../config.ts';
import { runnerApi, runnerApiOverTls } from '../runner-api/server.ts';
import { checkAppsDomain } from '../settings/apps-domain.ts';
import type { Opened } from './run.ts';
import type { Worker } from './stop.ts';

/** Throws ConfigError. */
function readPem(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(`${setting}: ${(error as Error).message}`);
  }
}

/** Listens for runners of verifiable apps, if APPS_SOCKET or APPS_TLS_PORT is set. Throws ConfigError. */
export async function openRunners({ ground: { config, log }, timed: { store, clock, ids }, keys }: Opened): Promise<Worker[]> {
  const { socket, tls, domain } = config.apps;
  const parts = { store, clock, ids, attestations: keys.vault.attestations, log };
  const apis = [];
  if (socket !== undefined) apis.push(runnerApi(socket, parts));
  if (tls !== undefined) {
    const [cert, key] = [readPem('APPS_TLS_CERT', tls.cert), readPem('APPS_TLS_KEY', tls.key)];
    apis.push(runnerApiOverTls({ ...tls, cert, key }, parts));
  }
  if (apis.length === 0) return [];
  const warning = await checkAppsDomain(domain, config.baseUrl);
  for (const [name, url] of [['FRAMES_URL', config.frames.url] as const, ['CONSOLE_URL', config.console.url] as const])
    if (url !== undefined) await checkAppsDomain(domain, url, name);
  if (warning !== undefined) log.warn({}, warning);
  for (const api of apis) await api.listen();
  return apis;
}
