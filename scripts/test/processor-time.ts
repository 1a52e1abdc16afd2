import { readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second. */
const TICKS = 100;

/** Files, and the beginnings of processes that several share. */
const costs: { what: string; seconds: number }[] = [];
let counted: number | undefined;

/** A process that several files share tells of each in such a line. */
export const costOf = (file: string, seconds: number): string => `processor time: ${seconds} s by ${file}`;
const COST = /^processor time: ([\d.e-]+) s by (.+)$/;

/** Such a line, in seconds. */
export function readCost(line: string): { file: string; seconds: number } | undefined {
  const [, seconds, file] = COST.exec(line) ?? [];
  return file === undefined ? undefined : { file, seconds: Number(seconds) };
}

/**
 * Counts what has been used since the last call, without this process. `what`: a file alone, or the rest of several files. Two that end
 * at once may be mixed up.
 */
export function charge(what: string, files: readonly { what: string; seconds: number }[] = []): void {
  const now = usedBy(13);
  if (now === undefined) return;
  const rest = files.reduce((left, { seconds }) => left - seconds, now - (counted ?? 0));
  // A process that was stopped is not counted yet.
  costs.push(...files, { what, seconds: Math.max(0, rest) });
  counted = now;
}

/** A line for each, those that used most first. */
export const allCosts = (): string =>
  costs
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(({ what, seconds }) => `${seconds.toFixed(2)} ${what}\n`)
    .join('');

/** The files that used most. */
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
