import type { Log } from './types.ts';

const EVERY_MS = 60_000;

/** Counts refusals by their reason, and logs the sums. A line for each one would let clients and apps fill the disk. */
export function tallyOf(log: Log, fields: Record<string, unknown>, message: string) {
  const counts = new Map<string, number>();
  const tell = () => {
    if (counts.size > 0) log.warn({ ...fields, refused: Object.fromEntries(counts) }, message);
    counts.clear();
  };
  const timer = setInterval(tell, EVERY_MS).unref();
  return {
    count: (reason: string) => void counts.set(reason, (counts.get(reason) ?? 0) + 1),
    close(): void {
      clearInterval(timer);
      tell();
    },
  };
}

export type Tally = ReturnType<typeof tallyOf>;
