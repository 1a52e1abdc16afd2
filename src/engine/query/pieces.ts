import { setImmediate } from 'node:timers/promises';
import type { Listing, Slice } from './listing.ts';

/** The text of an answer, in pieces. */
export type Pieces = AsyncIterable<string>;

/** Runs one slice of all answers at a time. */
export type Turn = <T>(work: () => Promise<T>) => Promise<T>;

const textOf = ({ elements }: Slice<unknown>): string => elements.map((element) => JSON.stringify(element)).join(',');

async function* piecesOf(start: string, slices: AsyncIterator<Slice<unknown>>, turn: Turn): Pieces {
  yield start;
  for (let isLast = false; !isLast; ) {
    const slice = await turn(async () => {
      // Other requests go first, also between the slices of several answers.
      await setImmediate();
      const { value } = await slices.next();
      return { text: textOf(value), isLast: value.isLast };
    });
    isLast = slice.isLast;
    yield `${slice.text && ','}${slice.text}${isLast ? ']}' : ''}`;
  }
}

/** A list as JSON. One that fits in a slice is whole; another one is read while it is sent. */
export async function listed({ list, slices }: Listing<string, unknown>, turn: Turn): Promise<string | Pieces> {
  const { value: first } = await slices.next();
  const start = `{${JSON.stringify(list)}:[${textOf(first)}`;
  return first.isLast ? `${start}]}` : piecesOf(start, slices, turn);
}
