import { QUIET } from '../../app/chain-nodes-of.ts';
import { openServiceTime } from '../../app/service-time.ts';
import { systemClock } from '../../base/clock.ts';
import type { Config } from '../../config.ts';
import { withReader, withStore } from '../offline-store.ts';
import { askRunning } from './ask.ts';
import type { ReleaseOptions } from './command.ts';
import { planRelease, type ReleaseMeans } from './release.ts';
import { adopted, adoptIn, type ReleaseOutcome } from './steps.ts';

type Means = Pick<ReleaseMeans, 'say' | 'stopped'>;

const UNDONE = 'the database was not adopted';

/** `countersign instance adopt`: takes the database's identity as that of this instance, and then does what `sends release` does. */
export async function adopt(
  config: Config,
  { reason, staging, dryRun, limits }: ReleaseOptions & { reason: string },
  means: Means,
): Promise<NonNullable<ReleaseOutcome>> {
  if (dryRun)
    return withReader(config, UNDONE, async (read) => {
      const quarantine = adopted(await read.instance.quarantine(), reason);
      const { reached } = await read.clock.get();
      const clock = { now: () => Math.max(reached, systemClock.now()) };
      return {
        quarantine,
        released: await planRelease({ ...means, limits, config, clock, machine: systemClock }, read, quarantine, staging),
      };
    });
  const running = await askRunning(config, { staging, limits, adopt: reason }, means.say);
  if (running?.outcome !== undefined) return running.outcome;
  return withStore(config, UNDONE, async (plain) => {
    const { store, clock } = await openServiceTime(plain, QUIET);
    return adoptIn(store, { ...means, limits, config, clock, machine: systemClock }, { reason, staging });
  });
}
