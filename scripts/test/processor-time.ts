import { readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second. */
const TICKS = 100;

/** Processes that were waited for, with the processor time that was counted when each ended. */
const costs: { what: string; seconds: number }[] = [];
let counted: number | undefined;

/** Counts what has been used since the last call, without this process, as that of `what`. Two that end at once may be mixed up. */
export function charge(what: string): void {
  const now = usedBy(13);
  if (now === undefined) return;
  costs.push({ what, seconds: now - (counted ?? 0) });
  counted = now;
}

/** The processes that used most. */
export const mostUsed = (count: number): string =>
  costs
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ what, seconds }) => `${what} ${Math.round(seconds)} s`)
    .join(', ');

/** Seconds of processor time of this process and of the children that ended. Undefined except on Linux. */
export const processorSeconds = (): number | undefined => usedBy(11);

/** utime, stime, cutime and cstime are at 11 to 14. */
function usedBy(first: 11 | 13): number | undefined {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // Counted after the name, which may have spaces.
    const times = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(first, 15);
    return times.reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
  } catch {
    return undefined;
  }
}
