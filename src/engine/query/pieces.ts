import { setImmediate } from 'node:timers/promises';
import type { Turn } from '../../base/concurrency.ts';
import type { Listing, Listings, Slice } from './listing.ts';

/** The text of an answer, in pieces. */
export type Pieces = AsyncIterable<string>;

/** Throws if the caller may not read any more. */
export type StillAllowed = () => Promise<unknown>;

/** The kinds of answers with lists. */
export type Lists = Listing<string, unknown> | Listings<string>;

/** An answer without lists may have a member of any name, such as a cursor that is called `next`. */
export const isLists = (answer: object): answer is Lists =>
  ('slice' in answer && typeof answer.slice === 'function') || ('lists' in answer && 'member' in answer);

/** A slice with the JSON around it. `endsList`: the list ends here. */
type Part = Slice & { endsList: boolean };

/** Reads the text of an answer, a slice at a time. */
function partsOf(answer: Lists): () => Promise<Part> {
  const several = 'lists' in answer;
  const lists = several ? answer.lists : [answer];
  let at = 0;
  let hasElements = false;
  /** The text before the name of the next list. */
  const fields = answer.fields === undefined ? '{' : `${JSON.stringify(answer.fields).slice(0, -1)},`;
  let opening: string | undefined = several ? `{${JSON.stringify(answer.member)}:${fields}` : fields;
  return async () => {
    const { list, slice } = lists[at]!;
    const { text: elements, isLast: endsList } = await slice();
    const start = opening === undefined ? '' : `${opening}${JSON.stringify(list)}:[`;
    const text = `${start}${hasElements && elements ? ',' : ''}${elements}`;
    hasElements = !endsList && (hasElements || elements !== '');
    opening = endsList ? ',' : undefined;
    if (endsList) at += 1;
    const isLast = at === lists.length;
    return { text: `${text}${endsList ? ']' : ''}${isLast ? (several ? '}}' : '}') : ''}`, isLast, endsList };
  };
}

/** Characters of short lists that are read together. */
const TOGETHER = 32 * 1024;

/**
 * Between two pieces, neither of them is kept in memory, because a client may be slow. A generator would keep the last values
 * of its variables, so this is none.
 */
function piecesOf(start: string, next: () => Promise<Part>, turn: Turn, stillAllowed: StillAllowed): Pieces {
  let first: string | undefined = start;
  let ended = false;

  const slice = () =>
    turn(async () => {
      // Other requests go first, also between the slices of several answers.
      await setImmediate();
      const { text, isLast } = await next();
      // Checked after the read: rows made after the caller was removed are never shown.
      await stillAllowed();
      ended = isLast;
      return text;
    });

  const piece = async (): Promise<IteratorResult<string>> => {
    if (first !== undefined) {
      const value = first;
      first = undefined;
      return { value, done: false };
    }
    if (ended) return { value: undefined, done: true };
    return { value: await slice(), done: false };
  };

  return { [Symbol.asyncIterator]: () => ({ next: piece }) };
}

/** Lists as JSON. An answer that fits in a slice is returned whole; a longer one is read while it is sent. */
export async function textOfLists(answer: Lists, turn: Turn, stillAllowed: StillAllowed): Promise<string | Pieces> {
  const next = partsOf(answer);
  // It costs as much as a page, so it takes no turn.
  let { text, isLast, endsList } = await next();
  while (!isLast && endsList && text.length < TOGETHER) {
    const more = await next();
    text += more.text;
    ({ isLast, endsList } = more);
  }
  return isLast ? text : piecesOf(text, next, turn, stillAllowed);
}
