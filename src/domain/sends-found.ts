import { firstIdOf } from '../base/id-time.ts';
import type { Send, SendState } from '../model/send.ts';
import type { Page, Reader } from '../store/types.ts';

/** Undefined members say nothing. */
export type SendsAsked = {
  states: readonly SendState[] | undefined;
  caip2: string | undefined;
  fromAddress: string | undefined;
  sponsored: boolean | undefined;
  /** Milliseconds, inclusive. */
  since: number | undefined;
  until: number | undefined;
};

/** `next`: the page that comes after is behind it. Undefined: there is no more. */
export type SendsFound = { sends: Send[]; next: string | undefined };

/** Rows that one page looks at: what is rare among many comes in several pages. */
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

/** Rows by the index that leaves least to look at. */
async function rows(read: Reader, org: string, { states, caip2, fromAddress }: SendsAsked, page: Page): Promise<Send[]> {
  if (states === undefined || fromAddress !== undefined) return read.sends.page(org, { fromAddress, caip2 }, page);
  const found: Send[] = [];
  for (const state of states) found.push(...(await read.sends.page(org, { state }, page)));
  const ascending = page.after === undefined;
  found.sort((a, b) => (a.id < b.id === ascending ? -1 : 1));
  return ascending ? found.slice(0, page.limit) : found.slice(0, page.limit);
}

/** Sends of an organization, the newest first. `before` alone: those that come right before that one. */
export async function findSends(read: Reader, org: string, asked: SendsAsked, page: Page): Promise<SendsFound> {
  const { since, until } = asked;
  const ascending = page.before !== undefined && page.after === undefined && since === undefined && until === undefined;
  let lower = since === undefined ? page.before : later(firstIdOf(since), page.before);
  let upper = until === undefined ? (page.after ?? BEHIND_ALL) : earlier(firstIdOf(until + IDS_LATER_MS), page.after);
  const sends: Send[] = [];
  for (let examined = 0; ; ) {
    const limit = Math.min(AT_ONCE, MOST_EXAMINED - examined);
    const bounds: Page = ascending ? { limit, before: lower } : { limit, after: upper, before: lower };
    const some = await rows(read, org, asked, bounds);
    if (ascending) some.sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const send of some) {
      if (matches(send, asked)) sends.push(send);
      examined++;
      if (ascending) lower = send.id;
      else upper = send.id;
      if (sends.length === page.limit || examined === MOST_EXAMINED)
        return { sends: ascending ? sends.reverse() : sends, next: ascending ? undefined : send.id };
    }
    if (some.length < limit) return { sends: ascending ? sends.reverse() : sends, next: undefined };
  }
}
