import { readFileSync } from 'node:fs';

/** USER_HZ, which Linux has fixed for programs at 100. */
const TICKS_PER_SECOND = 100;

/** Processor seconds that these processes have used so far, all threads; undefined where there is no /proc, or no process. */
export function cpuSeconds(pids: readonly number[]): number | undefined {
  if (pids.length === 0) return undefined;
  try {
    const ticks = pids.map((pid) => {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The name of the program stands in parentheses and may hold spaces; utime and stime are fields 14 and 15.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(fields[11]) + Number(fields[12]);
    });
    return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}
