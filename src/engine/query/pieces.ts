import { setImmediate } from 'node:timers/promises';
import type { Listing } from './listing.ts';

/** The text of an answer, in pieces. */
export type Pieces = AsyncIterable<string>;

/** Runs one slice of all answers at a time. */
export type Turn = <T>(work: () => Promise<T>) => Promise<T>;

/** Throws if the caller may not read any more. */
export type StillAllowed = () => Promise<unknown>;

/**
 * Between two pieces nothing of them is kept, because a client may take its time: hence no generator, which would keep what its
 * variables had last.
 */
function piecesOf(start: string, slice: Listing<string, unknown>['slice'], turn: Turn, stillAllowed: StillAllowed): Pieces {
  let first: string | undefined = start;
  let ended = false;

  const next = () =>
    turn(async () => {
      // Other requests go first, also between the slices of several answers.
      await setImmediate();
      const { text, isLast } = await slice();
      // After the read: nothing that was made after the caller was removed is shown.
      await stillAllowed();
      ended = isLast;
      return `${text && ','}${text}${isLast ? ']}' : ''}`;
    });

  const piece = async (): Promise<IteratorResult<string>> => {
    if (first !== undefined) {
      const value = first;
      first = undefined;
      return { value, done: false };
    }
    if (ended) return { value: undefined, done: true };
    return { value: await next(), done: false };
  };

  return { [Symbol.asyncIterator]: () => ({ next: piece }) };
}

/** A list as JSON. One that fits in a slice is whole; another one is read while it is sent. */
export async function listed(
  { list, slice }: Listing<string, unknown>,
  turn: Turn,
  stillAllowed: StillAllowed,
): Promise<string | Pieces> {
  // It costs what a page costs, so it takes no turn.
  const { text, isLast } = await slice();
  const start = `{${JSON.stringify(list)}:[${text}`;
  return isLast ? `${start}]}` : piecesOf(start, slice, turn, stillAllowed);
}
