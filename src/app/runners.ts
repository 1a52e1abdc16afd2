import { runnerApi } from '../runner-api/server.ts';
import { checkAppsDomain } from '../settings/apps-domain.ts';
import type { Opened } from './run.ts';
import type { Worker } from './stop.ts';

/** Listens for runners of verifiable apps, if APPS_SOCKET is set. Throws ConfigError. */
export async function openRunners({ ground: { config, log }, timed: { store, clock, ids }, keys }: Opened): Promise<Worker[]> {
  const { socket, domain } = config.apps;
  if (socket === undefined) return [];
  const warning = await checkAppsDomain(domain, config.baseUrl);
  if (warning !== undefined) log.warn({}, warning);
  const api = runnerApi(socket, { store, clock, ids, attestations: keys.vault.attestations, log });
  await api.listen();
  return [api];
}
