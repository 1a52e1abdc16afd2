import { isOver } from '../../model/send.ts';
import type { VelocityControl, VelocityCounter, VelocityEntry } from '../../model/velocity-control.ts';
import { stepsIn } from '../../model/velocity-control.ts';
import { keptSteps, liveSteps, type Window, withAdded } from '../../model/velocity-window.ts';
import type { Reader, Writer } from '../../store/types.ts';
import { termsOf } from './terms.ts';

/** Rows of one step. */
const BATCH = 200;
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Where the next step goes on. */
export type Place = { entries?: VelocityEntry | undefined; counters?: VelocityCounter | undefined };

const windowOf = (control: VelocityControl): Window => termsOf(control, () => undefined).window;

/** The windows of controls, each read once. Undefined: the control was deleted. */
function windows({
  velocityControls,
}: Reader): (of: { organizationId: string; controlId: string }) => Promise<Window | undefined> {
  const known = new Map<string, Promise<Window | undefined>>();
  return ({ organizationId, controlId }) => {
    const key = `${organizationId} ${controlId}`;
    const found =
      known.get(key) ?? velocityControls.get(organizationId, controlId).then((control) => control && windowOf(control));
    known.set(key, found);
    return found;
  };
}

/** Whether an entry has left its window. An activity alone is a window that has passed. */
export function hasLeft(window: Window, { amount, count, createdAt, step }: VelocityEntry, now: number): boolean {
  const added = { amount: BigInt(amount), count };
  const [at] = withAdded(window, [], added, createdAt);
  return liveSteps(window, [{ ...added, number: Math.max(at!.number, step) }], now).length === 0;
}

const isOpen = ({ state }: VelocityEntry): boolean => state === 'reserved' || state === 'mined';
/** A send that has ended settles nothing any more. */
async function isSendOver({ sends }: Reader, { organizationId, activityId }: VelocityEntry): Promise<boolean> {
  const own = await sends.ofActivity(organizationId, activityId);
  return own.length > 0 && own.every(isOver);
}

type Named = Pick<VelocityCounter, 'organizationId' | 'controlId' | 'bucket'>;
const bucketOf = ({ organizationId, controlId, bucket }: Named): string => `${organizationId} ${controlId} ${bucket}`;

/** Removes entries of one page whose window has expired and whose send has ended. Those of deleted controls go too. Undefined: it was the last page. */
async function pruneEntries(tx: Writer, after: VelocityEntry | undefined, now: number): Promise<VelocityEntry | undefined> {
  const page = await tx.allVelocityCounters.entries(BATCH, after);
  const find = windows(tx);
  const live = new Set<string>();
  for (const entry of page) {
    // Entries are in the order of time: those behind one that counts count too.
    if (live.has(bucketOf(entry))) continue;
    const window = await find(entry);
    if (window !== undefined && !hasLeft(window, entry, now)) live.add(bucketOf(entry));
    else if (window === undefined || !isOpen(entry) || (await isSendOver(tx, entry))) await tx.velocityPruning.removeEntry(entry);
  }
  const last = page.at(-1);
  if (last === undefined || page.length < BATCH) return undefined;
  return live.has(bucketOf(last)) ? { ...last, activityId: LAST_ID } : last;
}

/** The same for counters that count nothing any more. */
async function pruneCounters(tx: Writer, after: VelocityCounter | undefined, now: number): Promise<VelocityCounter | undefined> {
  const page = await tx.allVelocityCounters.page(BATCH, after);
  const find = windows(tx);
  const old: VelocityCounter[] = [];
  for (const counter of page) {
    const window = await find(counter);
    if (window === undefined || keptSteps(window, stepsIn(counter.steps), now).length === 0) old.push(counter);
  }
  // In the order in which records lock them, which is not that of the database's texts.
  for (const counter of old.toSorted((a, b) => (bucketOf(a) < bucketOf(b) ? -1 : 1)))
    await tx.velocityPruning.removeCounter(counter);
  return page.length < BATCH ? undefined : page.at(-1);
}

/** One step of a round over all entries and counters. Undefined: the round is done. */
export async function prune(tx: Writer, { entries, counters }: Place, now: number): Promise<Place | undefined> {
  if (counters === undefined) {
    const next = await pruneEntries(tx, entries, now);
    if (next !== undefined) return { entries: next };
  }
  const next = await pruneCounters(tx, counters, now);
  return next && { counters: next };
}
