import type { Readable } from 'node:stream';
import type { OnLine, Stream } from './types.ts';

/** A longer line is cut into several. */
export const LINE_BYTES = 4096;

/** The bytes of a stream that are read in one interval. Then the app's writes wait. */
const INTERVAL_BYTES = 65_536;
/** The bytes that a line costs beside its text, so that empty lines are a flood too. */
const LINE_COST = 64;
const INTERVAL_MS = 250;

/** Calls `onLine` for each line. At most one line is kept in memory, and a flood costs a bounded share of this process's time. */
export function readLines(from: Readable, stream: Stream, onLine: OnLine): void {
  let rest: Buffer = Buffer.alloc(0);
  let budget = INTERVAL_BYTES;
  const interval = setInterval(() => {
    budget = Math.min(budget + INTERVAL_BYTES, INTERVAL_BYTES);
    if (budget > 0 && from.isPaused()) from.resume();
  }, INTERVAL_MS);
  interval.unref();

  const tell = (line: Buffer) => onLine(stream, line.toString('utf8'));
  from.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const end = rest.indexOf(10);
      if (end < 0 && rest.length < LINE_BYTES) break;
      const isWhole = end >= 0 && end <= LINE_BYTES;
      const length = isWhole ? end : LINE_BYTES;
      tell(rest.subarray(0, length));
      budget -= LINE_COST;
      rest = rest.subarray(isWhole ? length + 1 : length);
    }
    // A part of a large chunk would keep all of it in memory.
    rest = Buffer.from(rest);
    budget -= chunk.length;
    if (budget <= 0) from.pause();
  });
  from.on('error', () => {});
  from.once('close', () => {
    clearInterval(interval);
    if (rest.length > 0) tell(rest);
  });
}
