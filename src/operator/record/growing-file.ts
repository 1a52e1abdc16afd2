import { createHash, type Hash } from 'node:crypto';
import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { CommandFailed } from '../../base/command-failed.ts';
import { lineOf } from './format.ts';
import { linesOfFile } from './lines-of-file.ts';

/** A file that an export writes, or goes on with. `digest`: of all bytes so far. */
export type Growing = { handle: number; size: number; digest: Hash; activities: number };

export type RecordValue = { activity?: { id: string; organizationId: string }; end?: unknown };

export function writeTo(to: Growing, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(to.handle, bytes, at, bytes.length - at, to.size + at);
  to.size += bytes.length;
  to.digest.update(bytes);
}

/** A new file, for this user only. */
export function begunFile(file: string, header: object): Growing {
  const made = { handle: openSync(file, 'wx', 0o600), size: 0, digest: createHash('sha256'), activities: 0 };
  writeTo(made, lineOf(header));
  return made;
}

function parsed(bytes: Buffer): RecordValue | undefined {
  try {
    return JSON.parse(bytes.toString()) as RecordValue;
  } catch {
    return undefined;
  }
}

/** Reads what an earlier run wrote. Its last line, or one that is cut off, is written anew. `found`: receives each line; it may throw. */
export async function resumedFile(file: string, found: (value: RecordValue | undefined, line: number) => void): Promise<Growing> {
  const digest = createHash('sha256');
  let [size, activities] = [0, 0];
  for await (const { number, bytes, isWhole } of linesOfFile(file)) {
    if (!isWhole) break;
    const value = bytes === undefined ? undefined : parsed(bytes);
    if (bytes === undefined || value?.end !== undefined) break;
    found(value, number);
    if (value === undefined) throw new CommandFailed(`line ${number} of ${file} is no JSON: name another file`);
    if (value?.activity !== undefined) activities += 1;
    digest.update(bytes);
    size += bytes.length;
  }
  if (size === 0) found(undefined, 1);
  const handle = openSync(file, 'r+');
  ftruncateSync(handle, size);
  return { handle, size, digest, activities };
}

/** Writes the last line. Returns the digest in it. */
export function endFile(to: Growing): string {
  const sha256 = to.digest.copy().digest('hex');
  writeTo(to, lineOf({ end: { activities: to.activities, sha256 } }));
  fsyncSync(to.handle);
  return sha256;
}

export const closeFile = ({ handle }: Growing): void => closeSync(handle);
