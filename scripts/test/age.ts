import { existsSync } from 'node:fs';
import { installPackages } from './debian.ts';

/** A test opens a copy with the program itself. */
export const needsAge = (file: string): boolean => file.startsWith('tests/operating/backup');

/** Installs age. Where that is not possible, the test is skipped, and says why. */
export function ensureAge(say: (line: string) => void): void {
  const folders = (process.env.PATH ?? '').split(':');
  if (process.platform === 'linux' && !folders.some((folder) => existsSync(`${folder}/age`))) installPackages(['age'], say);
}
