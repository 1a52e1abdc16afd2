import { setImmediate } from 'node:timers/promises';
import type { Listing, Slice } from './listing.ts';

/** The text of an answer, in pieces. */
export type Pieces = AsyncIterable<string>;

/** Runs one slice of all answers at a time. */
export type Turn = <T>(work: () => Promise<T>) => Promise<T>;

/** Throws if the caller may not read any more. */
export type StillAllowed = () => Promise<unknown>;

const textOf = ({ elements }: Slice<unknown>): string => elements.map((element) => JSON.stringify(element)).join(',');

async function* piecesOf(start: string, slices: AsyncIterator<Slice<unknown>>, turn: Turn, stillAllowed: StillAllowed): Pieces {
  yield start;
  for (let isLast = false; !isLast; ) {
    const slice = await turn(async () => {
      // Other requests go first, also between the slices of several answers.
      await setImmediate();
      const { value } = await slices.next();
      // After the read: nothing that was made after the caller was removed is shown.
      await stillAllowed();
      return { text: textOf(value), isLast: value.isLast };
    });
    isLast = slice.isLast;
    yield `${slice.text && ','}${slice.text}${isLast ? ']}' : ''}`;
  }
}

/** A list as JSON. One that fits in a slice is whole; another one is read while it is sent. */
export async function listed(
  { list, slices }: Listing<string, unknown>,
  turn: Turn,
  stillAllowed: StillAllowed,
): Promise<string | Pieces> {
  // The first slice is as large as the others, so it takes its turn too.
  const { text, isLast } = await turn(async () => {
    const { value } = await slices.next();
    return { text: textOf(value), isLast: value.isLast };
  });
  const start = `{${JSON.stringify(list)}:[${text}`;
  return isLast ? `${start}]}` : piecesOf(start, slices, turn, stillAllowed);
}
