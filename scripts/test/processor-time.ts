import { readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second. */
const TICKS = 100;

/** Files, and the beginnings of processes that several share. */
const costs: { what: string; seconds: number }[] = [];
let counted = 0;

/** A process that several files share tells of each in such a line. */
export const costOf = (file: string, seconds: number): string => `processor time: ${seconds} s by ${file}`;
const COST = /^processor time: ([\d.e-]+) s by (.+)$/;

/** Such a line, in seconds. */
export function readCost(line: string): { file: string; seconds: number } | undefined {
  const [, seconds, file] = COST.exec(line) ?? [];
  return file === undefined ? undefined : { file, seconds: Number(seconds) };
}

/** A process of test files calls it first. At its end, it tells in such a line what it and its children used. */
export function tellWhole(): void {
  process.on('exit', () => {
    const seconds = processorSeconds();
    if (seconds !== undefined) process.stdout.write(`\nprocessor time: ${seconds} s in all\n`);
  });
}
const WHOLE = /\n?^processor time: ([\d.]+) s in all\n/m;

/** Such a line in the output of a process, in seconds. */
export function readWhole(output: string): number | undefined {
  const [, seconds] = WHOLE.exec(output) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

export const withoutWhole = (output: string): string => output.replace(WHOLE, '');

/**
 * Counts a process that ended. `what`: its file, or the rest of several files. `whole`: what it told. A killed process, or one without
 * test files, tells nothing. It gets all that is not counted yet.
 */
export function charge(what: string, files: readonly { what: string; seconds: number }[] = [], whole?: number): void {
  const all = usedBy(13);
  if (all === undefined) return;
  const used = whole ?? all - counted;
  const rest = files.reduce((left, { seconds }) => left - seconds, used);
  costs.push(...files, { what, seconds: Math.max(0, rest) });
  counted += Math.max(0, used);
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

const BASE = /^Base: ([\d,]+) s on (\d{4}-\d\d-\d\d)/m;

/** How a run of plain `npm test` compares with the base in `testing`, the text of docs/testing.md. */
export function besideBase(seconds: number, testing: string): string {
  const [, base, day] = BASE.exec(testing) ?? [];
  if (base === undefined) return '';
  const more = Math.round(seconds) - Number(base.replace(',', ''));
  return `, ${Math.abs(more)} s ${more < 0 ? 'less' : 'more'} than the base of ${day}`;
}

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
