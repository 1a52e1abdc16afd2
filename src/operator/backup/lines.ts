import { createHash } from 'node:crypto';
import type { CopiedRow, CopiedTable } from '../../store/copy/columns.ts';

/** The number of the format. A published format never changes: the next one gets the next number. */
export const FORMAT = 1;

/** The first line of a copy. */
export type Header = {
  countersignBackup: typeof FORMAT;
  program: string;
  schema: number;
  engine: 'sqlite' | 'postgres';
  /** RFC 3339, of this machine's clock when the copy's state was fixed. */
  createdAt: string;
  organizationId: string;
  /** The root keys that wrap the master keys. Each begins with its provider’s name. */
  rootIds: readonly string[];
  /** The content of the provider's file: 64 hex digits. Null: the copy does not hold the root key. */
  rootKey: string | null;
  lacksArchive: boolean;
  numbers: Readonly<Record<string, number>>;
};

/** The last line. `sha256`: of all lines before it, in hex. */
export type Manifest = { rows: Readonly<Record<string, number>>; sha256: string };

/** A row is an array, and each other line an object. */
export type Line = Header | { table: string; columns: CopiedTable['columns'] } | CopiedRow | { end: Manifest };

/** The longest line. A value of the service is far shorter. */
const LONGEST = 128 * 2 ** 20;

/** How much text is handed on at once. */
const CHUNK = 2 ** 16;

const LF = 0x0a;

/** The text of lines. The last line is made from the digest of the others. `told`: receives the length of each line. */
export async function* written(
  lines: AsyncIterable<Line>,
  last: (sha256: string) => Line,
  told: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  let waiting: Buffer[] = [];
  let held = 0;
  for await (const line of lines) {
    const text = Buffer.from(`${JSON.stringify(line)}\n`);
    if (text.length > LONGEST) throw new Error(`a row of ${text.length} bytes is too long for a copy`);
    digest.update(text);
    told(text.length);
    waiting.push(text);
    held += text.length;
    if (held < CHUNK) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    held = 0;
  }
  yield Buffer.concat([...waiting, Buffer.from(`${JSON.stringify(last(digest.digest('hex')))}\n`)]);
}

const CUT_OFF = 'the copy is cut off';

/** The lines of a text, without their ends. */
async function* split(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let held = 0;
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let end = rest.indexOf(LF); end >= 0; end = rest.indexOf(LF)) {
      yield Buffer.concat([...waiting, rest.subarray(0, end)]);
      waiting = [];
      held = 0;
      rest = rest.subarray(end + 1);
    }
    held += rest.length;
    if (held > LONGEST) throw new Error('a line of the copy is too long');
    if (rest.length > 0) waiting.push(rest);
  }
  if (held > 0) throw new Error(CUT_OFF);
}

/** Reads lines, and checks the digest in the last. `bytes`: the length of the line. */
export async function* read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<{ line: Line; bytes: number }> {
  const digest = createHash('sha256');
  let end: Manifest | undefined;
  for await (const text of split(chunks)) {
    if (end !== undefined) throw new Error('the copy continues after its end');
    const line = parsed(text);
    if ('end' in line) {
      end = line.end;
      if (end.sha256 !== digest.copy().digest('hex')) throw new Error('the copy does not match the digest at its end');
    }
    digest.update(text).update('\n');
    yield { line, bytes: text.length };
  }
  if (end === undefined) throw new Error(CUT_OFF);
}

function parsed(text: Buffer): Line {
  try {
    const line = JSON.parse(text.toString());
    if (typeof line === 'object' && line !== null) return line;
  } catch {}
  throw new Error('the copy has a line that is no JSON');
}
