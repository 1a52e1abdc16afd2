import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { OutboundError } from '../../outbound/types.ts';
import { type Layer, refused } from './manifest.ts';

/** Receives the file that is searched. `begin` comes again if a later entry of the layer replaces it. */
export type FileSink = { begin(): void; write(chunk: Buffer): void };

/** `hidden`: a whiteout of the layer removes the path from the layers below. */
export type Searched = { found: boolean; hidden: boolean };

/** All layers together may unpack to that many more bytes. */
export type Budget = { left: number };

const FILES = ['File', 'OldFile', 'ContiguousFile'];
const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';
const GZIP = 0x1f;

/** The parts of a path in an archive. Throws for one that leads out of it. */
export function partsOf(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..') || path.includes('\0')) throw refused('a path in it has ".."');
  return parts;
}

const leadsTo = (parts: readonly string[], wanted: readonly string[]): boolean =>
  parts.length <= wanted.length && parts.every((part, i) => part === wanted[i]);

/** What an entry is to the path: its whiteout, a folder on the way, the file itself, or nothing. */
function roleOf({ path, type }: Pick<ReadEntry, 'path' | 'type'>, wanted: readonly string[]): 'whiteout' | 'file' | 'other' {
  const parts = partsOf(path);
  const name = parts.at(-1) ?? '';
  const folder = parts.slice(0, -1);
  if (name === OPAQUE) return leadsTo(folder, wanted) && folder.length < wanted.length ? 'whiteout' : 'other';
  if (name.startsWith(WHITEOUT)) return leadsTo([...folder, name.slice(WHITEOUT.length)], wanted) ? 'whiteout' : 'other';
  if (!leadsTo(parts, wanted)) return 'other';
  if (parts.length < wanted.length) {
    if (type !== 'Directory' && type !== 'GNUDumpDir')
      throw refused(`/${parts.join('/')} in it is a link or a file, not a folder`);
    return 'other';
  }
  if (!FILES.includes(type)) throw refused(`/${wanted.join('/')} in it is a link or a folder, not a file`);
  return 'file';
}

/** Bytes as they are stored, compared with the size and the digest of the layer. */
async function* stored(body: AsyncIterable<Buffer>, { size, digest }: Layer): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > size) throw refused('a layer has more bytes than its manifest says');
    hash.update(chunk);
    yield chunk;
  }
  if (bytes !== size || `sha256:${hash.digest('hex')}` !== digest)
    throw refused('a layer has other bytes than its manifest says');
}

async function unpack(
  plain: AsyncIterable<Buffer>,
  wanted: readonly string[],
  sink: FileSink,
  budget: Budget,
): Promise<Searched> {
  const searched = { found: false, hidden: false };
  let problem: unknown;
  const onReadEntry = (entry: ReadEntry) => {
    try {
      const role = problem === undefined ? roleOf(entry, wanted) : 'other';
      if (role === 'whiteout') searched.hidden = true;
      if (role === 'file') {
        searched.found = true;
        sink.begin();
        entry.on('data', (chunk: Buffer) => sink.write(chunk));
      }
    } catch (error) {
      problem = error;
    }
    entry.resume();
  };
  const parser = new Parser({ strict: true, brotli: false, zstd: false, onReadEntry });
  const ended = once(parser, 'end');
  ended.catch((error: unknown) => {
    problem ??= error;
  });
  let isFirst = true;
  let isOver = false;
  // The parser would keep all bytes that come after the end, and copy them with each chunk.
  parser.on('eof', () => {
    isOver = true;
  });
  for await (const chunk of plain) {
    budget.left -= chunk.length;
    if (budget.left < 0) throw refused('its layers unpack to more bytes than allowed');
    // The parser would unpack it once more, past this count.
    if (isFirst && chunk[0] === GZIP) throw refused('a layer is compressed twice');
    isFirst = false;
    if (isOver) continue;
    if (!parser.write(chunk)) await once(parser, 'drain');
    if (problem !== undefined) throw problem;
  }
  parser.end();
  await ended;
  if (problem !== undefined) throw problem;
  return searched;
}

/** Errors of the archive itself, which say nothing about the connection. */
function ofArchive(error: unknown): unknown {
  if (error instanceof OutboundError) return error;
  const { code, tarCode } = error as { code?: string; tarCode?: string };
  return tarCode !== undefined || code?.startsWith('Z_') ? refused('a layer is no archive that can be read') : error;
}

/** Searches one layer for the file at a path, whose parts are given. Throws OutboundError. */
export async function searchLayer(
  body: AsyncIterable<Buffer>,
  layer: Layer,
  wanted: readonly string[],
  sink: FileSink,
  budget: Budget,
): Promise<Searched> {
  const source = Readable.from(stored(body, layer), { objectMode: false });
  const search = (plain: AsyncIterable<Buffer>) => unpack(plain, wanted, sink, budget);
  try {
    return await (layer.gzip ? pipeline(source, createGunzip(), search) : pipeline(source, search));
  } catch (error) {
    throw ofArchive(error);
  }
}
