import type { Lru } from '../../base/lru.ts';
import type { CountsBy } from '../../engine/decision/transfer-conditions.ts';
import { addsNothing, type Spend, satisfies, totalWith } from '../../model/velocity-spend.ts';
import type { Step } from '../../model/velocity-window.ts';
import type { Reader } from '../../store/types.ts';
import { type Added, addedBy } from './added.ts';
import { uncounted } from './broadcast.ts';
import { coversKey, type Part } from './parts.ts';
import { isOfFees, sharesOf } from './shares.ts';
import type { Terms } from './terms.ts';

/** A counter that the activity adds to, with the steps that it has now. */
export type Bucket = { readonly name: string; readonly added: Added; readonly steps: readonly Step[]; readonly holds: boolean };

/** A control that covers the activity. */
export type Judged = { readonly terms: Terms; readonly buckets: readonly Bucket[]; readonly unreadable: string | undefined };

/**
 * The submitter, the time, and what counts by conditions. `full`: counters that had no room when they were last read. In a first attempt
 * the others are not read, since the record compares them.
 */
type By = {
  userId: string;
  now: number;
  countsBy?: CountsBy | undefined;
  isFirst?: boolean | undefined;
  full?: Lru<true> | undefined;
};

/** What the parts add to each bucket. An executed activity is counted once in a bucket, with however many keys it signs. */
function addedTo(terms: Terms, parts: readonly Part[], { userId, countsBy }: By): Map<string, Added> {
  const found = new Map<string, Added>();
  const own = parts.filter((each) => coversKey(terms, each));
  const reference = terms.isSubmission ? own.find(({ broadcast }) => broadcast !== undefined)?.broadcast?.digest : undefined;
  const shares = own.flatMap((part) => sharesOf(terms, part, userId, countsBy));
  for (const [name, reading] of shares) {
    const before = found.get(name);
    const more = terms.assets === undefined ? { amount: 0n, count: 1 } : addedBy(reading, terms);
    if (before === undefined) found.set(name, { ...more, ...(reference !== undefined && { reference }) });
    else if (terms.assets !== undefined)
      found.set(name, {
        ...{ ...before, ...more },
        ...{ amount: before.amount + more.amount, count: before.count + more.count, fee: (before.fee ?? 0n) + (more.fee ?? 0n) },
      });
  }
  return found;
}

/**
 * Each is a row that the record waits for, if the control decides. With more, nothing is read and no limit lets the activity through.
 * An activity that is executed in spite of that is counted.
 */
const MOST_BUCKETS = 100;

/** Undefined: no key of the activity is in the control's scope. */
export async function judge(read: Reader, terms: Terms, parts: readonly Part[], by: By): Promise<Judged | undefined> {
  const { now, isFirst, full } = by;
  const { comparison, window, control } = terms;
  const added = [...addedTo(terms, await uncounted(read, terms, parts), by)];
  if (added.length === 0) return undefined;
  const isAlone = window.kind === 'transaction';
  const recipients = added.filter(([name]) => !terms.byRecipient || !isOfFees(name)).length;
  const isTooMany = recipients > MOST_BUCKETS;
  const buckets = added.map(async ([name, more]): Promise<Bucket> => {
    const key = `${control.id} ${name}`;
    const allows = (steps: readonly Step[]) => satisfies(comparison, totalWith(window, steps, more, now)) === isLimit(terms);
    const isRead = !isAlone && !isTooMany && (!isFirst || full?.get(key) !== undefined || !allows([]));
    const steps = isRead ? await read.velocityCounters.steps(control.organizationId, control.id, name) : [];
    const isAllowed = allows(steps);
    if (isRead && isAllowed) full?.delete(key);
    else if (isRead) full?.set(key, true);
    return { name, added: more, steps, holds: isAllowed === isLimit(terms) };
  });
  const unreadable = isTooMany
    ? `it has ${recipients} recipients, and at most ${MOST_BUCKETS} are compared with a limit`
    : added.find(([, more]) => more.unreadable !== undefined)?.[1].unreadable;
  return { terms, buckets: await Promise.all(buckets), unreadable };
}

/** A control below a threshold allows while it is true. One that reports too much allows while it is false. */
export const isLimit = ({ comparison: { operator } }: Terms): boolean =>
  operator === 'LESS_THAN' || operator === 'LESS_THAN_OR_EQUAL';

/** With several buckets, a limit must hold in each, and a report of too much comes from any. */
export function truthOf({ terms, buckets, unreadable }: Judged): boolean | string {
  if (unreadable !== undefined) return unreadable;
  return isLimit(terms) ? buckets.every(({ holds }) => holds) : buckets.some(({ holds }) => holds);
}

/** Whether a control that binds every signer is concerned: only what adds to it is. */
export const binds = ({ terms, buckets, unreadable }: Judged): boolean =>
  terms.always && (unreadable !== undefined || buckets.some(({ added }) => !addsNothing(added)));

/** The spends of a control. `isGuarded`: the record depends on the control's truth. `isSend`: its outcome settles them. */
export function spendsOf({ terms, buckets }: Judged, isGuarded: boolean, isSend: boolean): Spend[] {
  const { control, comparison, window, assets } = terms;
  const isReserved = isSend && assets !== undefined;
  return buckets.flatMap(({ name, added: { amount, count, reference, fee }, holds }) => {
    const what = { amount, count, ...(isReserved && { isReserved }), ...(reference && { reference }), ...(fee && { fee }) };
    const spend = { controlId: control.id, bucket: name, window, ...what };
    if (isGuarded) return [{ ...spend, guard: { ...comparison, holds } }];
    return addsNothing(spend) ? [] : [spend];
  });
}
