import { QUIET } from '../../app/chain-nodes-of.ts';
import { takeIdentity } from '../../app/identity.ts';
import { enter } from '../../app/quarantine.ts';
import { openServiceTime } from '../../app/service-time.ts';
import { systemClock } from '../../base/clock.ts';
import { rfc3339 } from '../../base/time.ts';
import type { Config } from '../../config.ts';
import { isOn, type Quarantine } from '../../model/quarantine.ts';
import { withReader, withStore } from '../offline-store.ts';
import type { ReleaseOptions, ReleaseOutcome } from './command.ts';
import { planRelease, type ReleaseMeans, release } from './release.ts';

type Means = Pick<ReleaseMeans, 'say' | 'stopped'>;

const UNDONE = 'the database was not adopted';

/** The quarantine that an adoption ends: one that is on, or one of its own. */
const adopted = (before: Quarantine | undefined, reason: string): Quarantine =>
  before !== undefined && isOn(before)
    ? before
    : {
        ...{ cause: 'copied', detail: `an operator adopts the database: ${reason}`, since: rfc3339(systemClock.now()) },
        ...{ refusesBefore: null, sendsBefore: null, ended: null, held: [] },
      };

/** The row with the reason of an adoption. */
const rowOf = (at: string): string => `adopted ${at}`;

/**
 * `countersign instance adopt`: takes the database's identity as that of this instance, and then does what `sends release` does. If the
 * command is killed between, the database is in quarantine.
 */
export function adopt(
  config: Config,
  { reason, staging, dryRun }: ReleaseOptions & { reason: string },
  means: Means,
): Promise<NonNullable<ReleaseOutcome>> {
  if (dryRun)
    return withReader(config, UNDONE, async (read) => {
      const quarantine = adopted(await read.instance.quarantine(), reason);
      const { reached } = await read.clock.get();
      const clock = { now: () => Math.max(reached, systemClock.now()) };
      return {
        quarantine,
        released: await planRelease({ ...means, config, clock, machine: systemClock }, read, quarantine, staging),
      };
    });
  return withStore(config, UNDONE, async (plain) => {
    const { store, clock } = await openServiceTime(plain, QUIET);
    const identity = await plain.identity();
    const quarantine = await store.exclusively(async (tx) => {
      const found = adopted(await tx.instance.quarantine(), reason);
      await takeIdentity(tx, identity);
      await enter(tx, found, clock.now());
      const at = rfc3339(systemClock.now());
      await tx.instance.put(rowOf(at), JSON.stringify({ reason, staging }));
      return found;
    });
    const all = { ...means, config, clock, machine: systemClock };
    return { quarantine, released: await release(all, store, quarantine, staging) };
  });
}
