import { readdirSync } from 'node:fs';

/** The runner does not start. The message says what its operator can do. */
export class RunnerRefused extends Error {
  override readonly name = 'RunnerRefused';
}

const HIDDEN = ['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR'];

/** Throws if there is no such folder. Otherwise owners of local images would learn of a failure alone. */
export function requireFolder(setting: string, folder: string): void {
  try {
    readdirSync(folder);
  } catch (error) {
    throw new RunnerRefused(`${setting} cannot be read: ${(error as Error).message}. Make the folder, or unset ${setting}`);
  }
}

/** Throws if this process can read the service's folder. An empty one is another mount in its place. */
export function requireHidden(dataDir: string): void {
  let names: string[];
  try {
    names = readdirSync(dataDir);
  } catch (error) {
    if (HIDDEN.includes((error as NodeJS.ErrnoException).code ?? '')) return;
    throw error;
  }
  if (names.length > 0)
    throw new RunnerRefused(
      `this process can read ${dataDir}, the DATA_DIR of the service. Hide it: docs/operating/apps-runner.md says how`,
    );
}
