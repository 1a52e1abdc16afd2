import { takeIdentity } from '../../app/identity.ts';
import { enter } from '../../app/quarantine.ts';
import { systemClock } from '../../base/clock.ts';
import { CommandFailed } from '../../base/command-failed.ts';
import { rfc3339 } from '../../base/time.ts';
import { isOn, type Quarantine } from '../../model/quarantine.ts';
import type { Reader, Store } from '../../store/types.ts';
import type { FullLimits } from './full-windows.ts';
import { type Released, type ReleaseMeans, release } from './release.ts';

/** Undefined: nothing is in quarantine. */
export type ReleaseOutcome = { quarantine: Quarantine; released: Released } | undefined;

/** What a running service is asked to do. `adopt`: the reason, if it adopts its database. */
export type ReleaseJob = { staging: boolean; adopt?: string | undefined; limits: FullLimits };

export async function quarantineIn({ instance }: Reader): Promise<Quarantine | undefined> {
  const found = await instance.quarantine();
  return found !== undefined && (isOn(found) || found.held.length > 0) ? found : undefined;
}

export async function releaseIn(store: Store, means: ReleaseMeans, staging: boolean): Promise<ReleaseOutcome> {
  const quarantine = await quarantineIn(store.read);
  return quarantine && { quarantine, released: await release(means, store, quarantine, staging) };
}

/** The quarantine that an adoption ends: one that is on, or one of its own. */
export const adopted = (before: Quarantine | undefined, reason: string): Quarantine =>
  before !== undefined && isOn(before)
    ? before
    : {
        ...{ cause: 'copied', detail: `an operator adopts the database: ${reason}`, since: rfc3339(systemClock.now()) },
        ...{ refusesBefore: null, sendsBefore: null, ended: null, held: [] },
      };

/** The row with the reason of an adoption. */
const rowOf = (at: string): string => `adopted ${at}`;

/** If it is killed between, the database is in quarantine. */
export async function adoptIn(
  store: Store,
  means: ReleaseMeans,
  { reason, staging }: { reason: string; staging: boolean },
): Promise<NonNullable<ReleaseOutcome>> {
  const identity = await store.identity();
  const quarantine = await store.exclusively(async (tx) => {
    const found = adopted(await tx.instance.quarantine(), reason);
    await takeIdentity(tx, identity);
    await enter(tx, found, means.clock.now());
    const at = rfc3339(systemClock.now());
    await tx.instance.put(rowOf(at), JSON.stringify({ reason, staging }));
    return found;
  });
  return { quarantine, released: await release(means, store, quarantine, staging) };
}

/** In the service that has the SQLite database. What becomes of its sends is told without their contents. */
export async function releaseHere(
  store: Store,
  given: Omit<ReleaseMeans, 'limits'>,
  { staging, adopt, limits }: ReleaseJob,
): Promise<ReleaseOutcome> {
  const means = { ...given, limits };
  // Without a quarantine, only the next start learns which bodies the original may have accepted.
  if (adopt !== undefined && !isOn(await store.read.instance.quarantine()))
    throw new CommandFailed('the running service is not in quarantine: stop it, and give the same command again');
  const outcome =
    adopt === undefined ? await releaseIn(store, means, staging) : await adoptIn(store, means, { reason: adopt, staging });
  if (outcome === undefined) return undefined;
  const judged = outcome.released.judged.map(({ fate, send: { id, organizationId, caip2, fromAddress, account, nonce } }) => ({
    ...{ fate, send: { id, organizationId, caip2, fromAddress, account, nonce } },
  }));
  return { ...outcome, released: { ...outcome.released, judged } };
}
