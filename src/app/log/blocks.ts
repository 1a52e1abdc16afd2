import type { Output } from './output.ts';

/** A block with more characters is written without waiting. */
const BLOCK = 32 * 1024;

/** How long a line waits for others. */
const FLUSH_MS = 100;

/** The most characters that wait for a blocked output. Urgent lines may take the same amount again. */
const MOST = 1024 * 1024;

export type Blocks = {
  /** `urgent`: does not wait for others. */
  write(line: string, urgent: boolean): void;
  /** Resolves when all lines are written, or after `withinMs`. */
  flush(withinMs: number): Promise<void>;
  /** Writes the waiting lines, at the process's end. */
  end(): void;
};

/**
 * Collects lines in blocks. A write for each line would wake a thread or take a system call for each request. Two kinds of lines
 * are lost:
 * - lines without room because the output is slow;
 * - lines of a block that could not be written.
 * A full disk only delays (output.ts). `onLost` immediately gets the number of lost lines. `onRegained` gets their sum once a block
 * is written again.
 */
export function blocks(output: Output, onLost: (lines: number) => void, onRegained: (lost: number) => void): Blocks {
  let waiting = '';
  let lines = 0;
  let busy = false;
  let due = false;
  let timer: NodeJS.Timeout | undefined;
  let missing = 0;
  const idle: (() => void)[] = [];

  function countLost(count: number): void {
    missing += count;
    onLost(count);
  }

  function settled(error: Error | null | undefined, count: number): void {
    busy = false;
    if (error) countLost(count);
    else if (missing > 0) {
      const lost = missing;
      missing = 0;
      onRegained(lost);
    }
    if (due || idle.length > 0) push();
  }

  function take(): { block: Buffer; count: number } {
    const taken = { block: Buffer.from(waiting), count: lines };
    waiting = '';
    lines = 0;
    return taken;
  }

  function push(): void {
    due = true;
    clearTimeout(timer);
    timer = undefined;
    if (busy) return;
    due = false;
    if (lines === 0) {
      for (const done of idle.splice(0)) done();
      return;
    }
    const { block, count } = take();
    busy = true;
    output.write(block, (error) => settled(error, count));
  }

  return {
    write(line, urgent) {
      if (waiting.length + line.length > (urgent ? 2 * MOST : MOST)) return countLost(1);
      waiting += line;
      lines++;
      if (urgent || waiting.length > BLOCK) push();
      else timer ??= setTimeout(push, FLUSH_MS).unref();
    },
    flush(withinMs) {
      return new Promise((resolve) => {
        const late = setTimeout(resolve, withinMs);
        idle.push(() => {
          clearTimeout(late);
          resolve();
        });
        push();
      });
    },
    end() {
      output.last(take().block);
    },
  };
}
