import type { Clock } from '../base/clock.ts';
import { Busy } from '../base/errors.ts';
import { type ServiceClock, serviceClock } from '../base/service-clock.ts';
import type { Log } from '../engine/ports.ts';
import type { Store, StoredClock } from '../store/types.ts';
import { clockWarning, type OperatorWarning } from './clock-warning.ts';
import { enterWentBack, type QuarantineView, quarantineView } from './quarantine.ts';

/** How far written times may be ahead of the stored one. */
const LEASE_MS = 2_000;

/** The instance's row with the reason why the time was set back. */
export const resetRow = (resets: number): string => `clock-reset-${resets}`;
const TOLD = 'clock-resets-told';

export type ServiceTime = {
  clock: ServiceClock;
  /** For the start of a request: resolves once this process knows the time that others have reached. Undefined if it already does. */
  fresh(): Promise<void> | undefined;
  /** The store, whose writes never use a time beyond the stored one by more than the lease. */
  store: Store;
  warning(): OperatorWarning | undefined;
  quarantine: QuarantineView;
};

/** The latest time that can have been written, and so the earliest that may be used. */
function latest({ reached, since }: StoredClock): number {
  return reached + (since !== undefined && since >= 0 && since < LEASE_MS ? since : LEASE_MS) + 1;
}

/** `covers`: the stored time allows the present one, now; `cover` waits until it does. `known`: the latest stored time that was seen. */
type Lease = { covers(): boolean; cover(): Promise<void>; known(): number };

/** The database lacks what this process has seen in it: it was replaced, or a standby lost the last commits. */
const isBehind = (found: StoredClock, clock: Pick<ServiceClock, 'resets'>, known: number): boolean =>
  found.resets < clock.resets || (found.resets === clock.resets && found.reached < known);

type Work<T> = (tx: Parameters<Parameters<Store['transaction']>[0]>[0]) => Promise<T>;

/** The store. Its writes also raise the stored time if the lease does not cover theirs. */
function coveredBy(store: Store, clock: ServiceClock, { covers, cover, known }: Lease): Store {
  /** Before the commit, but after all ids were drawn. */
  const covered =
    <T>(work: Work<T>): Work<T> =>
    async (tx) => {
      const value = await work(tx);
      if (covers()) return value;
      const found = await tx.clock.raise(clock.resets, clock.now(), known());
      // The renewal that `covers` began finds this too.
      if (isBehind(found, clock, known())) throw new Busy('the database lacks what was written last: nothing was changed');
      return value;
    };
  return {
    ...store,
    transaction: (work, patienceMs) => store.transaction(covered(work), patienceMs),
    exclusively: (work) => store.exclusively(covered(work)),
    record(finished) {
      if (covers()) return store.record(finished);
      if (store.engine === 'postgres') return cover().then(() => store.record(finished));
      // Both share one commit.
      return Promise.all([store.record(finished), cover()]).then(([outcome]) => outcome);
    },
  };
}

/**
 * The time of ids, expiry and rows. It never falls behind the stored time, even after a restart with a wrong clock. The database
 * has a time that is raised every second while there are writes. No write uses a time far beyond it. Processes of one database
 * learn each other's time from it.
 */
export async function openServiceTime(
  store: Store,
  { machine, elapsed, log }: { machine: Clock; elapsed: Clock; log: Log },
): Promise<ServiceTime> {
  const stored = await store.read.clock.get();
  const floor = latest(stored);
  // If another process writes now, the machine's clock is compared with its time.
  const isAlive = stored.since !== undefined && stored.since >= 0 && stored.since < LEASE_MS;
  const clock = serviceClock(machine, elapsed, isAlive ? floor : Math.max(floor, machine.now()), stored.resets);
  let until = 0;
  let known = stored.reached;
  const quarantine = quarantineView();
  quarantine.read(stored.quarantine);
  let underWay: Promise<void> | undefined;
  let warned: string | undefined;

  function warning(): OperatorWarning | undefined {
    const found = clockWarning(clock.difference());
    if (found?.code !== warned) {
      if (found === undefined) log.info({}, 'the machine’s clock agrees with the service’s time again');
      else log.warn({ code: found.code }, found.message);
    }
    warned = found?.code;
    return found;
  }

  async function tellReset(resets: number): Promise<void> {
    if (resets <= Number((await store.read.instance.get(TOLD)) ?? 0)) return;
    log.warn({ reset: JSON.parse((await store.read.instance.get(resetRow(resets))) ?? '{}') }, 'the service’s time was set back');
    await store.transaction((tx) => tx.instance.put(TOLD, String(resets)));
  }

  async function renew(): Promise<void> {
    const time = clock.now();
    let found = await store.raiseClock(clock.resets, time, known);
    if (isBehind(found, clock, known)) {
      const entered = await enterWentBack(
        { store, clock, machine, log },
        { reached: found.reached, known, learnMs: 2 * LEASE_MS },
      );
      const now = Math.max(clock.now(), latest(found));
      clock.reset(now, found.resets);
      found = await store.raiseClock(found.resets, now);
      quarantine.read(JSON.stringify(entered));
    }
    known = found.reached;
    quarantine.read(found.quarantine);
    if (found.resets !== clock.resets) {
      clock.reset(latest(found), found.resets);
      await tellReset(found.resets);
    } else if (found.reached > clock.now()) {
      // Another process raised it. The times that this one has stored meanwhile are not ahead of its own time now.
      clock.learn(latest(found));
    }
    until = found.reached + LEASE_MS;
    warning();
  }

  const shared = (): Promise<void> => {
    underWay ??= renew().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };

  /** Whether the lease covers the present time. Renews it in the background once half of it is used. */
  function covers(): boolean {
    const left = until - clock.now();
    if (left < LEASE_MS / 2) shared().catch(() => {});
    return left >= 0;
  }

  async function cover(): Promise<void> {
    const { resets } = clock;
    const time = clock.now();
    // A renewal under way may have begun before `time`; then one more is needed.
    while (until < time && clock.resets === resets) await shared();
  }

  await tellReset(stored.resets);
  await shared();
  return {
    clock,
    fresh() {
      if (store.engine === 'sqlite' || covers()) return undefined;
      const covered = cover();
      // A request may be refused before it asks for the time.
      covered.catch(() => {});
      return covered;
    },
    store: coveredBy(store, clock, { covers, cover, known: () => known }),
    warning,
    quarantine,
  };
}
