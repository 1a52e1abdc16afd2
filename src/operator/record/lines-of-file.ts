import { createReadStream } from 'node:fs';

/** A body may have 1 MiB, and each vote repeats what it stamped. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** A line with its line break. `bytes` undefined: it is too long. `isWhole`: it has a line break. */
export type FileLine = { number: number; bytes: Buffer | undefined; isWhole: boolean };

const BREAK = 0x0a;

/** The lines of a file, one at a time. Memory holds one line of at most `LONGEST_LINE` bytes. */
export async function* linesOfFile(file: string): AsyncGenerator<FileLine> {
  let parts: Buffer[] = [];
  let length = 0;
  let number = 1;
  const line = (isWhole: boolean): FileLine => {
    const bytes = length > LONGEST_LINE ? undefined : Buffer.concat(parts);
    parts = [];
    length = 0;
    return { number: number++, bytes, isWhole };
  };
  const add = (part: Buffer): void => {
    length += part.length;
    if (length > LONGEST_LINE) parts = [];
    else parts.push(part);
  };
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(BREAK); end >= 0; end = chunk.indexOf(BREAK, from)) {
      add(chunk.subarray(from, end + 1));
      yield line(true);
      from = end + 1;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  }
  if (length > 0) yield line(false);
}
