import { accessSync, constants, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SandboxRefused } from '../types.ts';
import { codeOf, readText, write } from './files.ts';
import type { Cgroups } from './types.ts';
import { cgroupsV1 } from './v1.ts';
import { cgroupsV2 } from './v2.ts';

const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;

/** The group of the runner itself on version 2, since a group with controllers for its children has no processes. */
const RUNNER = 'runner';

interface Mount {
  readonly root: string;
  readonly at: string;
  readonly type: string;
  readonly options: readonly string[];
}

function mountOf(line: string): Mount | undefined {
  const [front, back] = line.split(' - ');
  const [, , , root, at] = front!.split(' ');
  const [type, , options] = back?.split(' ') ?? [];
  return root === undefined || at === undefined || type === undefined
    ? undefined
    : { root, at, type, options: options?.split(',') ?? [] };
}

/** Where the group of this process is, by /proc/self/cgroup and /proc/self/mountinfo. Undefined without such a mount. */
export function ownFolder(controller: string, cgroupText: string, mountText: string): string | undefined {
  const isV2 = controller === '';
  const lines = cgroupText.split('\n').map((line) => line.split(':'));
  const path = lines.find(([, names]) => (isV2 ? names === '' : names?.split(',').includes(controller)))?.[2];
  const mount = mountText
    .split('\n')
    .map(mountOf)
    .find((one) => (isV2 ? one?.type === 'cgroup2' : one?.type === 'cgroup' && one.options.includes(controller)));
  if (path === undefined || mount === undefined) return undefined;
  if (path === mount.root) return mount.at;
  const prefix = mount.root === '/' ? '' : mount.root;
  return path.startsWith(`${prefix}/`) ? join(mount.at, path.slice(prefix.length)) : mount.at;
}

/** Moves this process into a child of the base, and gives the controllers to the other children. */
export function prepareV2(own: string, pid: number): string {
  const base = basename(own) === RUNNER ? dirname(own) : own;
  const available = readText(join(base, 'cgroup.controllers')).split(/\s+/);
  const missing = CONTROLLERS.filter((one) => !available.includes(one));
  if (missing.length > 0) throw new Error(`${base} lacks the controllers ${missing.join(', ')}`);
  if (base === own) {
    try {
      mkdirSync(join(base, RUNNER));
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    write(join(base, RUNNER), 'cgroup.procs', pid);
  }
  write(base, 'cgroup.subtree_control', CONTROLLERS.map((one) => `+${one}`).join(' '));
  return base;
}

const WHAT_TO_DO = 'Start the runner by systemd with Delegate=yes, or as root where /sys/fs/cgroup can be written.';

/** The control groups in which this process may make groups of its own: version 2 where delegated, else version 1. */
export function findCgroups(): Cgroups {
  const cgroupText = readText('/proc/self/cgroup');
  const mountText = readText('/proc/self/mountinfo');
  const reasons: string[] = [];
  try {
    const own = ownFolder('', cgroupText, mountText);
    if (own === undefined) throw new Error('it is not mounted');
    return cgroupsV2(prepareV2(own, process.pid));
  } catch (error) {
    reasons.push(`Version 2 cannot be used: ${(error as Error).message}.`);
  }
  try {
    const folders = CONTROLLERS.map((one) => {
      const folder = ownFolder(one, cgroupText, mountText);
      if (folder === undefined) throw new Error(`the controller ${one} is not mounted`);
      accessSync(folder, constants.W_OK);
      return folder;
    });
    const [memory, pids, cpu] = folders as [string, string, string];
    return cgroupsV1({ memory, pids, cpu });
  } catch (error) {
    reasons.push(`Version 1 cannot be used: ${(error as Error).message}.`);
  }
  throw new SandboxRefused(`Apps cannot be limited, since no control group can be written. ${reasons.join(' ')} ${WHAT_TO_DO}`);
}
