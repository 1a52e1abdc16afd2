import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** The text, or nothing if the file is missing or its group has just gone. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENODEV') return '';
    throw error;
  }
}

/** The kernel's file must exist. */
export function write(folder: string, name: string, value: string | number): void {
  writeFileSync(join(folder, name), `${value}\n`, { flag: 'r+' });
}

/** False if the kernel has no such file, or its group has just gone. */
export function writeIfThere(folder: string, name: string, value: string | number): boolean {
  try {
    write(folder, name, value);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENODEV') return false;
    throw error;
  }
}

/** The number behind a name, in a file of such lines. */
export function countOf(file: string, name: string): number {
  const line = readText(file)
    .split('\n')
    .find((one) => one.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}

export const pidsOf = (folder: string): number[] =>
  readText(join(folder, 'cgroup.procs'))
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0);

export function killPids(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (codeOf(error) !== 'ESRCH') throw error;
    }
}

export function makeGroup(folder: string): void {
  mkdirSync(folder, { mode: 0o755 });
}

/** False while the group has processes. */
export function removeGroup(folder: string): boolean {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'EBUSY') return false;
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return true;
}

export function foldersOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}
