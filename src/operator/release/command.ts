import { QUIET } from '../../app/chain-nodes-of.ts';
import { openServiceTime } from '../../app/service-time.ts';
import { systemClock } from '../../base/clock.ts';
import type { Config } from '../../config.ts';
import { isOn, type Quarantine } from '../../model/quarantine.ts';
import type { Reader } from '../../store/types.ts';
import { withReader, withStore } from '../offline-store.ts';
import { planRelease, type Released, type ReleaseMeans, release } from './release.ts';

export type ReleaseOptions = { staging: boolean; dryRun: boolean };

/** Undefined: nothing is in quarantine. */
export type ReleaseOutcome = { quarantine: Quarantine; released: Released } | undefined;

type Means = Pick<ReleaseMeans, 'say' | 'stopped'>;

const UNDONE = 'the quarantine was not ended';

async function quarantineIn({ instance }: Reader): Promise<Quarantine | undefined> {
  const found = await instance.quarantine();
  return found !== undefined && (isOn(found) || found.held.length > 0) ? found : undefined;
}

/** `countersign sends release`. A dry run may run beside the service. */
export function releaseSends(config: Config, { staging, dryRun }: ReleaseOptions, means: Means): Promise<ReleaseOutcome> {
  if (dryRun)
    return withReader(config, UNDONE, async (read) => {
      const quarantine = await quarantineIn(read);
      if (quarantine === undefined) return undefined;
      const { reached } = await read.clock.get();
      const clock = { now: () => Math.max(reached, systemClock.now()) };
      const all = { ...means, config, clock, machine: systemClock };
      return { quarantine, released: await planRelease(all, read, quarantine, staging) };
    });
  return withStore(config, UNDONE, async (plain) => {
    const quarantine = await quarantineIn(plain.read);
    if (quarantine === undefined) return undefined;
    const { store, clock } = await openServiceTime(plain, QUIET);
    const all = { ...means, config, clock, machine: systemClock };
    return { quarantine, released: await release(all, store, quarantine, staging) };
  });
}
