import { firstIdOf } from '../../base/id-time.ts';
import { type ToMeasureThen, TooManyEntries, type VelocityThen } from '../../engine/activity/velocity.ts';
import type { VelocityEntry } from '../../model/velocity-control.ts';
import { countsStill, type Step, type Window, withAdded } from '../../model/velocity-window.ts';
import type { Reader } from '../../store/types.ts';
import { asIfFirst } from './broadcast.ts';
import type { ControlCache, ControlSet } from './control-cache.ts';
import { velocity } from './measure.ts';
import type { Terms } from './terms.ts';

/** Entries that one replay reads, of all counters. They take about ten megabytes. */
const MOST = 50_000;
const PAGE = 1000;

/** An activity's id is created a little after its `createdAt`. */
const IDS_LATER_MS = 60_000;

const DAY = 86_400_000;

/** How old the id of an entry may be that a window still has. An activity that waited for approvals is counted after its id was made. */
function reachOf(window: Window): number {
  if (window.kind === 'rolling') return 2 * window.seconds * 1000;
  return window.kind === 'calendar' ? 62 * DAY : Number.POSITIVE_INFINITY;
}

/** Newest first. `oldest`: the id that all later entries were read from. */
type Known = { entries: VelocityEntry[]; oldest: string; isAll: boolean };

const isBefore = ({ createdAt, activityId }: VelocityEntry, asked: ToMeasureThen): boolean =>
  createdAt < asked.now || (createdAt === asked.now && activityId < asked.activityId);

/** What counters had before an activity. A replay goes from newer activities to older ones, so what was read once is used again. */
function countersThen(most: number) {
  const counters = new Map<string, Known>();
  let left = most;

  async function upTo(read: Reader, key: readonly [string, string, string], known: Known, oldest: string): Promise<void> {
    while (!known.isAll && known.oldest > oldest) {
      if (left < PAGE) throw new TooManyEntries();
      const page = await read.velocityCounters.entries(...key, { limit: PAGE, before: known.oldest });
      left -= page.length;
      known.entries.push(...page.toReversed());
      known.isAll = page.length < PAGE;
      known.oldest = page[0]?.activityId ?? known.oldest;
    }
  }

  return async (read: Reader, window: Window, asked: ToMeasureThen, control: string, bucket: string): Promise<Step[]> => {
    const { organization, now, activityId } = asked;
    const name = `${control} ${bucket}`;
    const known = counters.get(name) ?? { entries: [], oldest: firstIdOf(now + IDS_LATER_MS), isAll: false };
    counters.set(name, known);
    const since = Math.max(0, now - reachOf(window));
    await upTo(read, [organization.id, control, bucket], known, firstIdOf(since));
    let [amount, count] = [0n, 0];
    for (const entry of known.entries) {
      if (entry.activityId === activityId || !isBefore(entry, asked) || !countsStill(window, entry.createdAt, now)) continue;
      amount += BigInt(entry.amount);
      count += entry.count;
    }
    return count === 0 && amount === 0n ? [] : [...withAdded(window, [], { amount, count }, now)];
  };
}

/** Windows were not full before they were. */
function setThen(set: ControlSet, now: number): ControlSet {
  const isLater = ({ window: { full } }: Terms) => full !== undefined && full.since > now;
  if (!set.all.some(isLater)) return set;
  const all = set.all.map((terms) => (isLater(terms) ? { ...terms, window: { ...terms.window, full: undefined } } : terms));
  return { ...set, all, byKind: new Map() };
}

/** The counters come from entries. So a control counts nothing for activities of before its creation. */
export function velocityThen(controls: ControlCache): VelocityThen {
  return (most = MOST) => {
    const stepsThen = countersThen(most);
    return async (read, asked) => {
      const set = await controls(read, asked.organization);
      const windows = new Map(set.all.map(({ control, window }) => [control.id, window]));
      const steps = (_: string, control: string, bucket: string) =>
        stepsThen(read, windows.get(control)!, asked, control, bucket);
      const first = asIfFirst(read);
      const velocityCounters = { ...first.velocityCounters, steps };
      const tags = { ...read.tags, ofMember: async () => [...asked.tags] };
      return velocity(async () => setThen(set, asked.now))({ ...first, velocityCounters, tags }, asked);
    };
  };
}
