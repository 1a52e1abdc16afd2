import { existsSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CommandFailed } from '../../base/command-failed.ts';
import type { Random } from '../../base/random.ts';

/** Throws if the file exists, unless it is to be replaced. */
export function checkFree(file: string, replace: boolean): void {
  if (!replace && existsSync(file)) throw new CommandFailed(`${file} exists: choose another name, or replace it with --force`);
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/**
 * Writes a file that only this user may read, under another name until it is complete and durable. Returns its size. Only a process that
 * is killed leaves a part, under that other name.
 */
export async function writeWhole(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  { replace, random }: { replace: boolean; random: Random },
): Promise<number> {
  checkFree(file, replace);
  const draft = `${file}.${random(6).toString('hex')}.tmp`;
  const handle: FileHandle = await open(draft, 'wx', 0o600);
  let bytes = 0;
  try {
    try {
      for await (const chunk of chunks) {
        await handle.writeFile(chunk);
        bytes += chunk.length;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    checkFree(file, replace);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  await sync(dirname(resolve(file)));
  return bytes;
}
