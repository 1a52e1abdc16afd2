import { readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second. */
const TICKS = 100;

/** Seconds of processor time of this process and of the children that ended. Undefined except on Linux. */
export function processorSeconds(): number | undefined {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // utime, stime, cutime and cstime, counted after the name, which may have spaces.
    const times = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15);
    return times.reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
  } catch {
    return undefined;
  }
}
