import { createHash, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, read, unlinkSync, write } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SandboxRefused } from './types.ts';

const CHUNK = 1 << 20;

/** The largest executable. */
export const EXECUTABLE_BYTES = 1 << 30;

/** A verified executable. No process but this one can write to it. */
export interface Executable {
  readonly bytes: number;
  /** An open file at its first byte. The caller closes it. */
  open(): number;
  close(): void;
}

/**
 * Copies the open file and takes the digest of the bytes on their way into the copy. The copy has no name, so its bytes cannot change
 * after the comparison. Each start executes the copy. Other work of this process runs in between. `unique`: a name that is new in the folder, which only this user may write.
 */
export async function verifyExecutable(fd: number, sha256: Uint8Array, folder: string, unique: string): Promise<Executable> {
  if (!fstatSync(fd).isFile()) throw new SandboxRefused('The executable is no regular file.');
  const path = join(folder, unique);
  const copy = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    unlinkSync(path);
    const { digest, bytes } = await copyAndHash(fd, copy);
    if (sha256.length !== digest.length || !timingSafeEqual(digest, sha256))
      throw new SandboxRefused(`The executable's SHA-256 is ${digest.toString('hex')}, which is not the approved one.`);
    return { bytes, open: () => openSync(`/proc/self/fd/${copy}`, 'r'), close: () => closeSync(copy) };
  } catch (error) {
    closeSync(copy);
    throw error;
  }
}

const readFrom = promisify(read);
const writeTo = promisify(write);

async function copyAndHash(from: number, to: number): Promise<{ digest: Buffer; bytes: number }> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK);
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await readFrom(from, buffer, 0, CHUNK, bytes);
    if (bytesRead === 0) return { digest: hash.digest(), bytes };
    hash.update(buffer.subarray(0, bytesRead));
    if (bytes + bytesRead > EXECUTABLE_BYTES) throw new SandboxRefused(`The executable has more than ${EXECUTABLE_BYTES} bytes.`);
    for (let at = 0; at < bytesRead; ) at += (await writeTo(to, buffer, at, bytesRead - at, bytes + at)).bytesWritten;
    bytes += bytesRead;
  }
}
