import { runnerApi } from '../runner-api/server.ts';
import type { Opened } from './run.ts';
import type { Worker } from './stop.ts';

/** Listens for runners of verifiable apps, if APPS_SOCKET is set. */
export async function openRunners({ ground: { config, log }, timed: { store, clock, ids }, keys }: Opened): Promise<Worker[]> {
  const { socket } = config.apps;
  if (socket === undefined) return [];
  const api = runnerApi(socket, { store, clock, ids, attestations: keys.vault.attestations, log });
  await api.listen();
  return [api];
}
