import { setTimeout } from 'node:timers/promises';
import { readText } from './files.ts';
import type { Cgroups, Group } from './types.ts';

const PREFIX = 'countersign-app';
const ROUND_MS = 20;
const PATIENCE_MS = 10_000;

/** Kills every process of the group and removes it. False if a process outlived all attempts. */
export async function emptyAndRemove(group: Group): Promise<boolean> {
  for (let waited = 0; waited < PATIENCE_MS; waited += ROUND_MS) {
    group.kill();
    if (group.remove()) return true;
    await setTimeout(ROUND_MS);
  }
  return false;
}

/** When the process started, in ticks since boot: with its number it names one process. Undefined if it has ended. */
function startOf(pid: number): string | undefined {
  const text = readText(`/proc/${pid}/stat`);
  // The command's name, in parentheses, may have any characters.
  const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? undefined : fields[18];
}

/** A name that tells a later runner whether the owner still runs. */
export const ownedName = (id: string): string => `${PREFIX}.${process.pid}.${startOf(process.pid)}.${id}`;

/** The name was made by a process that is dead. */
export function isLeftover(name: string): boolean {
  const [prefix, pid, start] = name.split('.');
  return prefix === PREFIX && start !== undefined && startOf(Number(pid)) !== start;
}

/** Empties and removes the groups of runners that are dead. Returns the names of groups that remain. */
export async function removeLeftovers(cgroups: Cgroups): Promise<string[]> {
  const remaining: string[] = [];
  for (const name of cgroups.names().filter(isLeftover))
    if (!(await emptyAndRemove(cgroups.existing(name)))) remaining.push(name);
  return remaining;
}
