import { join } from 'node:path';
import { countOf, foldersOf, killPids, makeGroup, pidsOf, removeGroup, write, writeIfThere } from './files.ts';
import { type Cgroups, CPU_PERIOD_US, cpuQuotaUs, type Group } from './types.ts';

function groupIn(folder: string): Group {
  return {
    joinFiles: [join(folder, 'cgroup.procs')],
    pids: () => pidsOf(folder),
    counts: () => ({
      oomKills: countOf(join(folder, 'memory.events'), 'oom_kill'),
      refusedForks: countOf(join(folder, 'pids.events'), 'max'),
    }),
    kill: () => {
      writeIfThere(folder, 'pids.max', 0);
      // Linux has this file since 5.14, and kills all at once.
      if (!writeIfThere(folder, 'cgroup.kill', 1)) killPids(pidsOf(folder), 'SIGKILL');
    },
    remove: () => removeGroup(folder),
  };
}

/** `base`: a delegated group that has no process of its own. `make` creates a group with its files, as the kernel does. */
export function cgroupsV2(base: string, make = makeGroup): Cgroups {
  return {
    version: 2,
    create: (name, limits) => {
      const folder = join(base, name);
      const group = groupIn(folder);
      try {
        make(folder);
        write(folder, 'memory.max', limits.memoryBytes);
        writeIfThere(folder, 'memory.swap.max', 0);
        writeIfThere(folder, 'memory.oom.group', 1);
        write(folder, 'pids.max', limits.processes);
        write(folder, 'cpu.max', `${cpuQuotaUs(limits.cpus)} ${CPU_PERIOD_US}`);
      } catch (error) {
        group.remove();
        throw error;
      }
      return group;
    },
    names: () => foldersOf(base),
    existing: (name) => groupIn(join(base, name)),
  };
}
