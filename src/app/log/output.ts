import { fstatSync, write, writeSync } from 'node:fs';

/** The destination of blocks of log lines. One block is under way at a time. */
export type Output = {
  write(block: Buffer, done: (error: Error | null | undefined) => void): void;
  /** Writes at the process's end, for at most `WAIT_MS`. */
  last(block: Buffer): void;
};

export const STANDARD_ERROR = 2;
const WAIT_MS = 500;
const PAUSE_MS = 10;

const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** The process must end even if the reader is slow or gone. */
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
  // Each write gets its own error.
  stderr.on('error', () => {});
  return {
    write: (block, done) => void stderr.write(block, done),
    // The stream's own queue would come first, and is not read any more.
    last: (block) => void (stderr.writableLength === 0 && last(block)),
  };
}

/** Temporary errors: a busy terminal, and a full disk. */
const PASSING: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'ENOSPC', 'EDQUOT']);

/** A file or a terminal, which has no non-blocking form: a thread of the pool waits for it. */
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
