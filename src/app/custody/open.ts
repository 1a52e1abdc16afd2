import { setTimeout as sleep } from 'node:timers/promises';
import { releaseHere } from '../../operator/release/steps.ts';
import type { Opened } from '../run.ts';
import type { Worker } from '../stop.ts';
import { openControl } from './control.ts';
import type { JobParts } from './jobs.ts';

/** How long requests that have read a sealed secret may take, before the next state of a master key. */
const IN_FLIGHT_MS = 300;

function stopping(): never {
  throw new Error('the service is stopping: give the same command again');
}

/**
 * Follows the master keys. On SQLite the service also takes the operator's commands. On PostgreSQL a command has connections of its own.
 */
export async function openCustody({ ground, timed, keys: { held }, built: { following } }: Opened): Promise<Worker[]> {
  const { config, machine, random, log } = ground;
  const { store, clock } = timed;
  following.start();
  if (store.engine !== 'sqlite') return [following];
  async function settle(): Promise<void> {
    // The first look may have begun before the change.
    await following.look();
    await following.look();
    await sleep(IN_FLIGHT_MS);
  }
  const release: JobParts['release'] = (job, { say, isStopping }) => {
    const stopped = { throwIfAborted: () => void (isStopping() && stopping()) };
    return releaseHere(store, { config, clock, machine, say, stopped }, job);
  };
  const control = await openControl(config.dataDir, { store, held, random, now: clock.now, settle, release }, log);
  return control === undefined ? [following] : [following, control];
}
