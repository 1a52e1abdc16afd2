import type { Opened } from '../run.ts';
import type { Worker } from '../stop.ts';
import { openControl } from './control.ts';

/** On SQLite the service takes the operator's commands. On PostgreSQL a command has connections of its own. */
export async function openCustody({
  ground: { config, random, log },
  timed: { store },
  keys: { held },
}: Opened): Promise<Worker[]> {
  if (store.engine !== 'sqlite') return [];
  const control = await openControl(config.dataDir, { store, held, random }, log);
  return control === undefined ? [] : [control];
}
