import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ, which Linux has fixed for programs at 100. */
const TICKS_PER_SECOND = 100;

/** The numbers in /proc/PID/stat from the fourth on: parent, …, utime and stime, and those of children that ended. */
function statOf(pid: number | string) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program is in parentheses and may have spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [utime, stime, childrenUtime, childrenStime] = fields.slice(11, 15).map(Number) as [number, number, number, number];
  return { parent: Number(fields[1]), own: utime + stime, ended: childrenUtime + childrenStime };
}

/** Processor seconds that these processes have used so far, all threads; undefined where there is no /proc, or no process. */
export function cpuSeconds(pids: readonly number[]): number | undefined {
  if (pids.length === 0) return undefined;
  try {
    return pids.reduce((sum, pid) => sum + statOf(pid).own, 0) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/** Those of its main thread alone. */
export const mainSeconds = (pid: number): number => statOf(`${pid}/task/${pid}`).own / TICKS_PER_SECOND;

/** The same of a process, its children, and the children that ended. */
export function familySeconds(pid: number): number | undefined {
  try {
    const { own, ended } = statOf(pid);
    let ticks = own + ended;
    for (const other of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const child = statOf(other);
        if (child.parent === pid) ticks += child.own;
      } catch {
        // The process ended meanwhile.
      }
    }
    return ticks / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}
