import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed } from '../../../base/command-failed.ts';
import { createFile, makeFolder } from '../../../base/files.ts';
import { systemRandom } from '../../../base/random.ts';
import type { Divided } from '../../../custody/roots/shares.ts';

/** What a holder needs to know besides the words. Readers leave lines that begin with # out. */
const noteOf = ({ rootKey, threshold, count }: Divided, number: number): string =>
  `# Countersign, root key ${rootKey}: share ${number} of ${count}, any ${threshold} give the key (SLIP-0039)`;

/** Throws unless the folder is empty, or can be made. */
export function requireEmptyFolder(folder: string): void {
  try {
    makeFolder(folder, true);
  } catch (error) {
    throw new CommandFailed(`no shares were made: ${(error as Error).message}`);
  }
  if (readdirSync(folder).length > 0)
    throw new CommandFailed(`no shares were made: ${folder} is not empty. Name an empty folder, so that two sets are not mixed`);
}

/** Writes each share into a file of mode 0600, and reads it again. They are durable then. */
export function writeShares(folder: string, divided: Divided): string[] {
  return divided.shares.map((words, i) => {
    const file = join(folder, `share-${i + 1}-of-${divided.count}.txt`);
    const text = `${noteOf(divided, i + 1)}\n${words}\n`;
    if (!createFile(file, text, systemRandom(6).toString('hex'), false) || readFileSync(file, 'utf8') !== text)
      throw new CommandFailed(`${file} was not written: another process uses the folder`);
    return file;
  });
}
