import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SendError, SHIP_DEADLINE_MS, type Shipper } from '../types.ts';
import { until } from '../until.ts';

const CHUNK = 65_536;
const BREAK = 0x0a;
const { O_RDWR, O_CREAT, O_APPEND, O_NONBLOCK } = constants;

/** Cuts off what a killed process left of a line. Throws if another program wrote the file. */
async function cutHalf(handle: FileHandle, begin: Buffer): Promise<void> {
  const { size } = await handle.stat();
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(begin.length), 0, begin.length, 0);
  if (!begin.subarray(0, bytesRead).equals(buffer.subarray(0, bytesRead)))
    throw new SendError('the file holds something else: name another', { permanent: false });
  let end = size;
  for (let found = -1; end > 0 && found < 0; ) {
    const from = Math.max(0, end - CHUNK);
    const part = await handle.read(Buffer.alloc(end - from), 0, end - from, from);
    found = part.buffer.subarray(0, part.bytesRead).lastIndexOf(BREAK);
    end = found < 0 ? from : from + found + 1;
  }
  if (end < size) await handle.truncate(end);
}

async function opened(path: string, begin: Buffer): Promise<FileHandle> {
  // Without O_NONBLOCK, a pipe would wait for its reader for ever.
  const handle = await open(path, O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK, 0o600);
  try {
    if (!(await handle.stat()).isFile()) throw new SendError('it is no regular file', { permanent: false });
    await cutHalf(handle, begin);
    const folder = await open(dirname(path), 'r');
    await folder.sync().finally(() => folder.close());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function isAt(handle: FileHandle, path: string): Promise<boolean> {
  const [own, there] = [await handle.stat(), await stat(path).catch(() => undefined)];
  return there !== undefined && there.ino === own.ino && there.dev === own.dev;
}

/**
 * Appends lines to a file, durably. A file that was moved away, as logrotate does, is made anew at the next lines. `header`: the
 * first line of each file.
 */
export function fileShipper(path: string, header: string): Shipper {
  const stop = new AbortController();
  const begin = Buffer.from(`${header}\n`);
  let handle: FileHandle | undefined;
  let busy: Promise<void> | undefined;

  async function leave(): Promise<void> {
    const left = handle;
    handle = undefined;
    await left?.close();
  }

  async function append(text: string): Promise<void> {
    try {
      if (handle !== undefined && !(await isAt(handle, path))) await leave();
      handle ??= await opened(path, begin);
      const { size } = await handle.stat();
      await handle.appendFile(size === 0 ? begin + text : text);
      await handle.sync();
    } catch (error) {
      // It may hold half a line now, which the next open cuts off.
      await leave();
      throw error;
    }
  }

  return {
    async send(lines) {
      // One at a time: a disk that hangs takes no more threads.
      if (busy !== undefined) throw new SendError('the disk has not answered yet', { permanent: false });
      busy = append(lines.map(({ text }) => `${text}\n`).join('')).finally(() => {
        busy = undefined;
      });
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(SHIP_DEADLINE_MS)]);
      await until(signal, busy).catch((error: NodeJS.ErrnoException) => {
        throw new SendError(`${path}: ${signal.aborted ? 'no answer in time' : error.message}`, { permanent: false });
      });
    },
    close() {
      stop.abort();
      void (busy ?? Promise.resolve()).then(leave, leave).catch(() => {});
    },
  };
}
