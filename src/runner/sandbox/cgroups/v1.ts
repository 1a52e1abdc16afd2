import { join } from 'node:path';
import { countOf, foldersOf, killPids, makeGroup, pidsOf, removeGroup, write, writeIfThere } from './files.ts';
import { type Cgroups, CPU_PERIOD_US, cpuQuotaUs, type Group } from './types.ts';

/** The folder of each controller in which groups may be made. */
export interface FoldersV1 {
  readonly memory: string;
  readonly pids: string;
  readonly cpu: string;
}

function groupIn(folders: FoldersV1): Group {
  const all = [...new Set(Object.values(folders) as string[])];
  return {
    joinFiles: all.map((folder) => join(folder, 'cgroup.procs')),
    pids: () => pidsOf(folders.pids),
    counts: () => ({
      oomKills: countOf(join(folders.memory, 'memory.oom_control'), 'oom_kill'),
      refusedForks: countOf(join(folders.pids, 'pids.events'), 'max'),
    }),
    kill: () => {
      writeIfThere(folders.pids, 'pids.max', 0);
      for (const folder of all) killPids(pidsOf(folder), 'SIGKILL');
    },
    remove: () => all.map(removeGroup).every((gone) => gone),
  };
}

export function cgroupsV1(bases: FoldersV1): Cgroups {
  const foldersNamed = (name: string): FoldersV1 => ({
    memory: join(bases.memory, name),
    pids: join(bases.pids, name),
    cpu: join(bases.cpu, name),
  });
  return {
    version: 1,
    create: (name, limits) => {
      const folders = foldersNamed(name);
      const group = groupIn(folders);
      try {
        for (const folder of new Set(Object.values(folders) as string[])) makeGroup(folder);
        write(folders.memory, 'memory.limit_in_bytes', limits.memoryBytes);
        writeIfThere(folders.memory, 'memory.memsw.limit_in_bytes', limits.memoryBytes);
        // Buffers of TCP have a limit of their own.
        writeIfThere(folders.memory, 'memory.kmem.tcp.limit_in_bytes', limits.memoryBytes);
        write(folders.pids, 'pids.max', limits.processes);
        write(folders.cpu, 'cpu.cfs_period_us', CPU_PERIOD_US);
        write(folders.cpu, 'cpu.cfs_quota_us', cpuQuotaUs(limits.cpus));
      } catch (error) {
        group.remove();
        throw error;
      }
      return group;
    },
    names: () => [...new Set([bases.memory, bases.pids, bases.cpu].flatMap(foldersOf))],
    existing: (name) => groupIn(foldersNamed(name)),
  };
}
