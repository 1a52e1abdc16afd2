import { QUIET } from '../../app/chain-nodes-of.ts';
import { openServiceTime } from '../../app/service-time.ts';
import { systemClock } from '../../base/clock.ts';
import type { Config } from '../../config.ts';
import { isOn } from '../../model/quarantine.ts';
import { withReader, withStore } from '../offline-store.ts';
import { askRunning } from './ask.ts';
import type { FullLimits } from './full-windows.ts';
import { planRelease, type ReleaseMeans } from './release.ts';
import { quarantineIn, type ReleaseOutcome, releaseIn } from './steps.ts';

export type ReleaseOptions = { staging: boolean; dryRun: boolean; limits: FullLimits };

type Means = Pick<ReleaseMeans, 'say' | 'stopped'>;

const UNDONE = 'the quarantine was not ended';

/** Whether an end of the quarantine would fill windows. */
export const fillsWindows = (config: Config): Promise<boolean> =>
  withReader(config, UNDONE, async ({ instance }) => {
    const found = await instance.quarantine();
    return found !== undefined && isOn(found);
  });

/** `countersign sends release`. It may run beside the service, which does it on SQLite. */
export async function releaseSends(
  config: Config,
  { staging, dryRun, limits }: ReleaseOptions,
  means: Means,
): Promise<ReleaseOutcome> {
  if (dryRun)
    return withReader(config, UNDONE, async (read) => {
      const quarantine = await quarantineIn(read);
      if (quarantine === undefined) return undefined;
      const { reached } = await read.clock.get();
      const clock = { now: () => Math.max(reached, systemClock.now()) };
      const all = { ...means, limits, config, clock, machine: systemClock };
      return { quarantine, released: await planRelease(all, read, quarantine, staging) };
    });
  const running = await askRunning(config, { staging, limits }, means.say);
  if (running !== undefined) return running.outcome;
  return withStore(config, UNDONE, async (plain) => {
    if ((await quarantineIn(plain.read)) === undefined) return undefined;
    const { store, clock } = await openServiceTime(plain, QUIET);
    return releaseIn(store, { ...means, limits, config, clock, machine: systemClock }, staging);
  });
}
