import type { Activity } from '../../model/activity.ts';
import type { Page } from '../../store/types.ts';
import { FIRST, LATER, type Listing } from './listing.ts';

/** How many activities one read returns, and the bytes of bodies and results after which a page ends. A body may have 1 MiB, a result 2. */
const AT_ONCE = 25;
const MOST_BYTES = 8 * 1024 * 1024;

type Read = (page: Page) => Promise<Activity[]>;

type Source = {
  read: Read;
  /** As JSON text. */
  show(activities: readonly Activity[]): Promise<readonly string[]>;
};

/** The activities at the end of a range, newest first. They are known only once they were read. */
async function endOf(read: Read, { limit, before }: Page): Promise<Activity[]> {
  const found: Activity[] = [];
  let bytes = 0;
  while (found.length < limit) {
    const wanted = Math.min(AT_ONCE, limit - found.length);
    const some = await read({ limit: wanted, before: found[0]?.id ?? before });
    const all = found.length;
    for (const activity of some.toReversed()) {
      bytes += bytesOf(activity);
      if (bytes > MOST_BYTES && found.length > 0) return found;
      found.unshift(activity);
    }
    if (found.length - all < wanted) break;
  }
  return found;
}

const bytesOf = ({ body, result }: Activity): number => body.length + result.length;
const weightOf = (activity: Activity): number => 2 * bytesOf(activity) + 1500;

/** The first activities whose sizes add up to at most `most`. With `some`, the very first is included in any case. */
function fitting(
  activities: readonly Activity[],
  most: number,
  size: (activity: Activity) => number,
  some: boolean,
): readonly Activity[] {
  let left = most;
  const end = activities.findIndex((activity, i) => {
    left -= size(activity);
    return left < 0 && !(some && i === 0);
  });
  return end < 0 ? activities : activities.slice(0, end);
}

/** A page of activities, newest first, read in slices. It ends early if its bodies or results are large. */
export function activityListing<N extends string, E>(name: N, { read, show }: Source, page: Page): Listing<N, E> {
  let { limit: left, before, after } = page;
  let bytes = MOST_BYTES;
  let isFirst = true;
  /** The expected number of activities that fill a slice. */
  let wanted = AT_ONCE;

  async function next(): Promise<Activity[]> {
    const backwards = before !== undefined && after === undefined;
    const limit = Math.min(left, wanted);
    const found = backwards ? await endOf(read, page) : await read({ limit, before, after });
    if (backwards || found.length < limit) left = found.length;
    return found;
  }

  /** The next activities, as many as there is room for. */
  async function more(room: number, some: boolean): Promise<readonly Activity[]> {
    const found = await next();
    const within = fitting(found, bytes, bytesOf, isFirst && some);
    if (within.length < found.length) left = within.length;
    const taken = fitting(within, room, weightOf, some);
    for (const activity of taken) bytes -= bytesOf(activity);
    left -= taken.length;
    after = taken.at(-1)?.id ?? after;
    return taken;
  }

  async function slice() {
    const texts: string[] = [];
    const room = isFirst ? FIRST.characters : LATER.characters;
    let weight = 0;
    for (let some = true; left > 0 && weight < room && (some || isFirst); some = false) {
      const taken = await more(room - weight, some);
      if (taken.length === 0) break;
      texts.push(...(await show(taken)));
      for (const activity of taken) weight += weightOf(activity);
    }
    isFirst = false;
    wanted = Math.min(AT_ONCE, Math.max(1, Math.floor((LATER.characters * texts.length) / Math.max(1, weight))));
    return { text: texts.join(','), isLast: left === 0 };
  }

  return { list: name, slice };
}
