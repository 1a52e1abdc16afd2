import { createHash, type Hash } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { type FileSink, partsOf, searchLayer } from './layer.ts';
import { refused } from './manifest.ts';
import type { Image, Registry } from './registry.ts';

/** What all layers of an image may unpack to. */
export const UNPACKED_BYTES = 1024 * 1024 * 1024;

export type Executable = { digest: string; bytes: number };

/**
 * Writes the one file, and hashes it as it is written. A search that runs on after a time-out must not write: its descriptor may
 * belong to another file then.
 */
function sinkTo(file: number): FileSink & { written(): Executable; close(): void } {
  let isOpen = true;
  let hash: Hash = createHash('sha256');
  let bytes = 0;
  const requireOpen = () => {
    if (!isOpen) throw refused('its extraction was given up');
  };
  return {
    begin() {
      requireOpen();
      ftruncateSync(file, 0);
      hash = createHash('sha256');
      bytes = 0;
    },
    write(chunk) {
      requireOpen();
      let at = 0;
      while (at < chunk.length) at += writeSync(file, chunk, at, chunk.length - at, bytes + at);
      hash.update(chunk);
      bytes += chunk.length;
    },
    written: () => ({ digest: hash.digest('hex'), bytes }),
    close() {
      isOpen = false;
      closeSync(file);
    },
  };
}

/**
 * Extracts one executable of an image to a new file. `path`: absolute, in the image. The topmost layer that has it counts, and no link
 * is followed. Lower layers are not fetched. Throws OutboundError, and leaves no file then.
 */
export async function extractExecutable(
  registry: Registry,
  { layers }: Image,
  path: string,
  target: string,
  budget = { left: UNPACKED_BYTES },
): Promise<Executable> {
  if (!path.startsWith('/')) throw refused('the path of the executable must be absolute');
  const wanted = partsOf(path);
  if (wanted.length === 0) throw refused('the path of the executable names no file');
  const sink = sinkTo(openSync(target, 'wx', 0o500));
  let done: Executable | undefined;
  try {
    for (const layer of layers.toReversed()) {
      const { found, hidden } = await registry.layer(layer, (body) => searchLayer(body, layer, wanted, sink, budget));
      if (found) done = sink.written();
      if (found || hidden) break;
    }
  } finally {
    sink.close();
    if (done === undefined) rmSync(target, { force: true });
  }
  if (done === undefined) throw refused(`${path} is not in it`);
  return done;
}
