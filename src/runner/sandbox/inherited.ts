import { closeSync, readdirSync } from 'node:fs';
import { codeOf, readText } from './cgroups/files.ts';

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes what this process inherited from its starter and would hand on to apps. Node.js opens all its files so that no child
 * inherits them, so each other one is a stranger.
 */
export function closeInherited(): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const flags = /^flags:\s*(\d+)/m.exec(readText(`/proc/self/fdinfo/${name}`))?.[1];
    if (Number(name) <= 2 || flags === undefined || (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0) continue;
    try {
      closeSync(Number(name));
    } catch (error) {
      if (codeOf(error) !== 'EBADF') throw error;
    }
  }
}
