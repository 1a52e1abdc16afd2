/** The rows of a list, each read from its body. */
import { useEffect, useState } from 'react';
import type { Summary } from '../../../review/summary.ts';
import { Lru } from '../../../src/base/lru.ts';
import { bytesOf } from '../service/bytes.ts';
import { loaded } from '../service/part.ts';
import type { Activity } from '../service/types.ts';
import { bodyIn } from './reading.ts';
import { titleOf } from './sign-out.ts';

/** More than the rows of any list that a person reads on. */
const MOST_KEPT = 10_000;
/** By fingerprint and body's length: a row is only a row. */
const known = new Lru<Summary>(MOST_KEPT);

const keyOf = (activity: Activity): string => `${activity.fingerprint} ${bodyIn(activity).length}`;

/** `ACTIVITY_TYPE_CREATE_WALLET_V2` as words. */
export const typeText = (type: string): string => {
  const words = type
    .replace(/^ACTIVITY_TYPE_/, '')
    .replace(/_V\d+$/, '')
    .toLowerCase()
    .replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** By the id of the activity. Until it is read, the type as words. */
export function useSummaries(activities: readonly Activity[]): (activity: Activity) => Summary {
  const [, setRead] = useState(0);
  useEffect(() => {
    const unknown = activities.filter((activity) => bodyIn(activity) !== '' && known.get(keyOf(activity)) === undefined);
    if (unknown.length === 0) return;
    let wanted = true;
    const read = ({ reviewOf, summaryOf }: typeof import('../../../review/index.ts')) => {
      for (const activity of unknown) {
        const review = reviewOf(bytesOf(bodyIn(activity)));
        known.set(keyOf(activity), { ...summaryOf(review), title: titleOf(review, activity.votes[0]?.userId) });
      }
      if (wanted) setRead((count) => count + 1);
    };
    // An old page keeps the types as words. The request itself says so.
    loaded(import('../../../review/index.ts')).then(read, () => {});
    return () => {
      wanted = false;
    };
  }, [activities]);
  return (activity) => known.get(keyOf(activity)) ?? { title: typeText(activity.type), to: '', danger: '' };
}
