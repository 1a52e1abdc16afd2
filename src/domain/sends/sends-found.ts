import { firstIdOf } from '../../base/id-time.ts';
import type { Send, SendState } from '../../model/send.ts';
import type { Page, Reader } from '../../store/types.ts';

/** Undefined members do not filter. */
export type SendsAsked = {
  states: readonly SendState[] | undefined;
  caip2: string | undefined;
  fromAddress: string | undefined;
  sponsored: boolean | undefined;
  /** Milliseconds, inclusive. */
  since: number | undefined;
  until: number | undefined;
};

/** `next`: the last row that was examined. Undefined: there are no more. */
export type SendsFound = { sends: Send[]; next: string | undefined };

/** Rows that one page examines: rare sends among many come in several pages. */
const MOST_EXAMINED = 2000;
const AT_ONCE = 100;

/** An id is made a little after its activity begins. */
const IDS_LATER_MS = 60_000;
const BEHIND_ALL = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const earlier = (a: string, b: string | undefined) => (b === undefined || a < b ? a : b);
const later = (a: string, b: string | undefined) => (b === undefined || a > b ? a : b);

function matches(send: Send, { states, caip2, fromAddress, sponsored, since, until }: SendsAsked): boolean {
  return (
    (states === undefined || states.includes(send.state)) &&
    (caip2 === undefined || send.caip2 === caip2) &&
    (fromAddress === undefined || send.fromAddress === fromAddress) &&
    (sponsored === undefined || send.sponsored === sponsored) &&
    (since === undefined || send.createdAt >= since) &&
    (until === undefined || send.createdAt <= until)
  );
}

/** Newest first, by the most selective index. With only `before`: those immediately before it. */
async function rows(read: Reader, org: string, { states, caip2, fromAddress }: SendsAsked, page: Page): Promise<Send[]> {
  if (states === undefined || fromAddress !== undefined) return read.sends.page(org, { fromAddress, caip2 }, page);
  const found: Send[] = [];
  for (const state of states) found.push(...(await read.sends.page(org, { state }, page)));
  found.sort((a, b) => (a.id > b.id ? -1 : 1));
  return page.after === undefined ? found.slice(-page.limit) : found.slice(0, page.limit);
}

/** The page immediately before a send: the oldest of the newer ones. */
async function newerThan(read: Reader, org: string, asked: SendsAsked, limit: number, before: string): Promise<SendsFound> {
  const sends: Send[] = [];
  let edge = before;
  for (let examined = 0; examined < MOST_EXAMINED; ) {
    const some = await rows(read, org, asked, { limit: AT_ONCE, before: edge });
    for (const send of some.toReversed()) {
      if (matches(send, asked)) sends.unshift(send);
      if (sends.length === limit) return { sends, next: sends.at(-1)!.id };
    }
    examined += some.length;
    if (some.length < AT_ONCE) break;
    edge = some[0]!.id;
  }
  return { sends, next: sends.at(-1)?.id };
}

/** Sends of an organization, the newest first. `among`: only these. */
export async function findSends(
  read: Reader,
  org: string,
  asked: SendsAsked,
  { limit, after, before }: Page,
  among?: readonly Send[],
): Promise<SendsFound> {
  if (among !== undefined) return { sends: among.filter((send) => matches(send, asked)), next: undefined };
  const { since, until } = asked;
  if (before !== undefined && after === undefined) return newerThan(read, org, asked, limit, before);
  const lower = since === undefined ? before : later(firstIdOf(since), before);
  let upper = until === undefined ? (after ?? BEHIND_ALL) : earlier(firstIdOf(until + IDS_LATER_MS), after);
  const sends: Send[] = [];
  for (let examined = 0; examined < MOST_EXAMINED; ) {
    const some = await rows(read, org, asked, { limit: AT_ONCE, after: upper, before: lower });
    for (const send of some) {
      upper = send.id;
      if (matches(send, asked)) sends.push(send);
      if (sends.length === limit) return { sends, next: upper };
    }
    examined += some.length;
    if (some.length < AT_ONCE) return { sends, next: undefined };
  }
  return { sends, next: upper };
}

/** The sends of one activity. For an activity that cancelled or sped up a send, that send. */
export async function sendsOfActivity(read: Reader, org: string, activityId: string): Promise<Send[]> {
  const own = await read.sends.ofActivity(org, activityId);
  if (own.length > 0) return own;
  const activity = await read.activities.get(org, activityId);
  // A sealed result belongs to another kind of activity.
  if (activity === undefined || !activity.result.startsWith('{')) return [];
  const { sendTransactionStatusId: id } = JSON.parse(activity.result) as { sendTransactionStatusId?: string };
  const send = id === undefined ? undefined : await read.sends.get(org, id);
  return send === undefined ? [] : [send];
}
