import { fstatSync, write, writeSync } from 'node:fs';

/** Where blocks of log lines go. One block is under way at a time. */
export type Output = {
  write(block: Buffer, done: (error: Error | null | undefined) => void): void;
  /** Writes at the process's end, for as long as `WAIT_MS` at most. */
  last(block: Buffer): void;
};

export const STANDARD_ERROR = 2;
const WAIT_MS = 500;
const PAUSE_MS = 10;

const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** A reader that does not keep up must not keep the process from its end, and one that went away neither. */
function last(block: Buffer): void {
  let rest = block;
  for (let waited = 0; rest.length > 0 && waited < WAIT_MS; ) {
    try {
      rest = rest.subarray(writeSync(STANDARD_ERROR, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      pause(PAUSE_MS);
      waited += PAUSE_MS;
    }
  }
}

/** A pipe or a socket: a full one makes the block wait in memory. */
function toStream(): Output {
  const { stderr } = process;
  // Each write is told its own error.
  stderr.on('error', () => {});
  return {
    write: (block, done) => void stderr.write(block, done),
    // What waits in the stream comes first, and nobody reads it.
    last: (block) => void (stderr.writableLength === 0 && last(block)),
  };
}

/** Errors that pass: a terminal that is busy, and a disk that is full. */
const PASSING: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'ENOSPC', 'EDQUOT']);

/** A file or a terminal, which has no form that does not block: a thread of the pool waits for it. */
function toFile(): Output {
  const put: Output['write'] = (block, done) =>
    write(STANDARD_ERROR, block, (error, written) => {
      if (PASSING.has(error?.code)) setTimeout(() => put(block, done), PAUSE_MS).unref();
      else if (error !== null || written === block.length) done(error);
      else put(block.subarray(written), done);
    });
  return { write: put, last };
}

export function standardError(): Output {
  const kind = fstatSync(STANDARD_ERROR);
  return kind.isFIFO() || kind.isSocket() ? toStream() : toFile();
}
