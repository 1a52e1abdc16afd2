import type { Output } from './output.ts';

/** Characters that are written without waiting for more. */
const BLOCK = 32 * 1024;

/** How long a line waits for others. */
const FLUSH_MS = 100;

/** Characters that wait for an output that does not take them. Urgent lines may take as much again. */
const MOST = 1024 * 1024;

export type Blocks = {
  /** `urgent`: does not wait for others. */
  write(line: string, urgent: boolean): void;
  /** Resolves when all lines are written, or after `withinMs`. */
  flush(withinMs: number): Promise<void>;
  /** Writes what waits, at the process's end. */
  end(): void;
};

/**
 * Collects lines in blocks: a write for each would wake a thread or take a system call for each request. Lines that find no
 * room because the output is slow, and those of a block that could not be written, are lost; a full disk only delays (output.ts). `onLost` is told at once how many,
 * `onRegained` how many there were in all once a block is written again.
 */
export function blocks(output: Output, onLost: (lines: number) => void, onRegained: (lost: number) => void): Blocks {
  let waiting = '';
  let lines = 0;
  let busy = false;
  let due = false;
  let timer: NodeJS.Timeout | undefined;
  let missing = 0;
  const idle: (() => void)[] = [];

  function lose(count: number): void {
    missing += count;
    onLost(count);
  }

  function settled(error: Error | null | undefined, count: number): void {
    busy = false;
    if (error) lose(count);
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
      if (waiting.length + line.length > (urgent ? 2 * MOST : MOST)) return lose(1);
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
