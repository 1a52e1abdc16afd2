import { termsOf } from '../domain/velocity/terms.ts';
import type { VelocityCounter, VelocityEntry } from '../model/velocity-control.ts';
import { liveSteps, type Total, totalOf, type Window, withAdded } from '../model/velocity-window.ts';
import type { Reader } from '../store/types.ts';

const PAGE = 1000;
/** The service's clock may be ahead of the command's. */
const CLOCKS_DIFFER_MS = 60_000;

/** A counter that differs from its entries. */
export type Differing = { organizationId: string; identifier: string; bucket: string; counted: string; entries: string };

/** `isAll`: false if there were more entries than were to be read. */
export type Compared = { counters: number; entries: number; differing: Differing[]; isAll: boolean };

const NONE: Total = { amount: 0n, count: 0 };
const plus = (a: Total, b: Total): Total => ({ amount: a.amount + b.amount, count: a.count + b.count });
const atMost = (a: Total, b: Total): boolean => a.amount <= b.amount && a.count <= b.count;
const textOf = ({ amount, count }: Total): string => `${amount} in ${count}`;

type Sums = { all: Total; live: Total; read: number };

async function sumsOf(read: Reader, counter: Place, window: Window, now: number): Promise<Sums> {
  const { organizationId, controlId, bucket } = counter;
  const isLive = (added: Total, { createdAt }: VelocityEntry) =>
    liveSteps(window, withAdded(window, [], added, createdAt), now + CLOCKS_DIFFER_MS).length > 0;
  let [all, live, many] = [NONE, NONE, 0];
  let after: string | undefined;
  for (;;) {
    const page = await read.velocityCounters.entries(organizationId, controlId, bucket, { limit: PAGE, after });
    for (const entry of page) {
      if (entry.state === 'released') continue;
      const added = { amount: BigInt(entry.amount), count: entry.count };
      all = plus(all, added);
      if (isLive(added, entry)) live = plus(live, added);
    }
    many += page.length;
    if (page.length < PAGE) return { all, live, read: many };
    after = page.at(-1)!.activityId;
  }
}

/** Beside a running service entries are added and released meanwhile. So a counter that differs is looked at again. */
const TRIES = 3;

type Place = Pick<VelocityCounter, 'organizationId' | 'controlId' | 'bucket'>;

async function compare(read: Reader, counter: Place, now: () => number) {
  const { organizationId, controlId, bucket } = counter;
  const control = await read.velocityControls.get(organizationId, controlId);
  if (control === undefined) return { read: 0 };
  const { window } = termsOf(control, () => undefined);
  // It has entries, and no counter.
  if (window.kind === 'transaction') return { read: 0 };
  for (let tries = 1; ; tries++) {
    const before = await sumsOf(read, counter, window, now());
    const steps = await read.velocityCounters.steps(organizationId, controlId, bucket);
    const counted = totalOf(liveSteps(window, steps, now()));
    // Entries that were added since the first look are in the second one.
    const { all } = atMost(counted, before.all) ? before : await sumsOf(read, counter, window, now());
    if (atMost(before.live, counted) && atMost(counted, all)) return { read: before.read };
    if (tries < TRIES) continue;
    const entries = textOf(atMost(before.live, counted) ? all : before.live);
    const { identifier } = control;
    return { read: before.read, differing: { organizationId, identifier, bucket, counted: textOf(counted), entries } };
  }
}

/** Entries whose counter is gone: such a limit begins at zero again. Returns whether all entries were read. */
async function findLost(read: Reader, now: () => number, most: number, differing: Differing[]): Promise<boolean> {
  let last: VelocityEntry | undefined;
  for (let entries = 0; entries < most; ) {
    const page = await read.allVelocityCounters.entries(PAGE, last);
    for (const entry of page) {
      const { organizationId, controlId, bucket } = entry;
      const isSeen = last?.organizationId === organizationId && last.controlId === controlId && last.bucket === bucket;
      last = entry;
      if (isSeen || (await read.velocityCounters.steps(organizationId, controlId, bucket)).length > 0) continue;
      const one = await compare(read, entry, now);
      const isTold = differing.some(
        (other) =>
          other.organizationId === organizationId && other.bucket === bucket && other.identifier === one.differing?.identifier,
      );
      if (one.differing !== undefined && !isTold) differing.push(one.differing);
    }
    if (page.length < PAGE) return true;
    entries += page.length;
  }
  return false;
}

/**
 * Compares counters with their entries, until about `most` entries were read. Then entries with their counters, as far. `machine`: the
 * time of this machine. The service's time does not go back with it.
 */
export async function compareCounters(read: Reader, machine: () => number, most = Number.POSITIVE_INFINITY): Promise<Compared> {
  const { reached } = await read.clock.get();
  const now = () => Math.max(reached, machine());
  const told: Compared = { counters: 0, entries: 0, differing: [], isAll: true };
  let last: VelocityCounter | undefined;
  for (;;) {
    const page = await read.allVelocityCounters.page(PAGE, last);
    for (const counter of page) {
      const one = await compare(read, counter, now);
      told.counters += 1;
      told.entries += one.read;
      if (one.differing !== undefined) told.differing.push(one.differing);
      if (told.entries >= most) return { ...told, isAll: false };
    }
    if (page.length < PAGE) break;
    last = page.at(-1);
  }
  return { ...told, isAll: await findLost(read, now, most, told.differing) };
}
