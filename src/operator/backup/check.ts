import { CommandFailed } from '../../base/command-failed.ts';
import { SQL_TYPES } from '../../store/columns.ts';
import type { CopiedRow, CopiedTable } from '../../store/copy/columns.ts';
import type { Copy, Piece } from '../../store/copy/load.ts';
import { checkMigratable, KNOWN } from '../../store/migrations/known.ts';
import type { Container } from './container.ts';
import { FORMAT, type Header, type Line, type Manifest, read } from './lines.ts';
import type { Progress } from './progress.ts';

/** A copy whose every byte was read: it is complete, and this program can restore it. */
export type Checked = { header: Header; manifest: Manifest };

const NAME = /^[a-z][a-z0-9_]{0,62}$/;
const HEX_KEY = /^[0-9a-fA-F]{64}$/;

function headerOf(line: Line): Header {
  const header = line as Partial<Header>;
  const { countersignBackup: format, program, schema, createdAt, rootIds, rootKey, numbers } = header;
  if (typeof format !== 'number') throw new CommandFailed('the file is an age file, but no copy of countersign backup');
  if (format > FORMAT)
    throw new CommandFailed(
      `the copy has format ${format}, and this program knows ${FORMAT}: restore it with version ${program}`,
    );
  const isRight =
    Number.isSafeInteger(schema) &&
    !Number.isNaN(Date.parse(String(createdAt))) &&
    Array.isArray(rootIds) &&
    rootIds.every((id) => typeof id === 'string') &&
    (rootKey === null || HEX_KEY.test(String(rootKey))) &&
    typeof numbers === 'object' &&
    Object.values(numbers).every(Number.isSafeInteger);
  if (!isRight) throw new CommandFailed('the copy’s first line is not that of a backup');
  if (schema! > KNOWN)
    throw new CommandFailed(
      `the copy has schema version ${schema}, and this program knows ${KNOWN}: restore it with version ${program} or newer`,
    );
  checkMigratable(schema!);
  return header as Header;
}

function tableOf(line: Line): CopiedTable {
  const { table: name, columns } = line as { table: unknown; columns: unknown };
  const isColumn = (column: unknown) =>
    Array.isArray(column) && NAME.test(String(column[0])) && Object.hasOwn(SQL_TYPES.sqlite, String(column[1]));
  if (!NAME.test(String(name)) || !Array.isArray(columns) || !columns.every(isColumn))
    throw new CommandFailed('the copy has a line that describes no table');
  return { name, columns } as CopiedTable;
}

/** The parts of a copy in their order. `ended`: receives the last line. */
async function* partsOf(
  container: Container,
  progress: Progress,
  ended: (manifest: Manifest) => void,
): AsyncGenerator<Header | Piece> {
  let isFirst = true;
  let table: CopiedTable | undefined;
  for await (const { line, bytes } of read(container.text())) {
    progress.stopped.throwIfAborted();
    progress.bytes(bytes);
    if (isFirst) yield headerOf(line);
    else if (Array.isArray(line)) {
      if (table === undefined) throw new CommandFailed('the copy has a row of no table');
      progress.row(table.name);
      yield { row: line as CopiedRow, bytes };
    } else if ('end' in line) ended(line.end);
    else {
      table = tableOf(line);
      yield { table };
    }
    isFirst = false;
  }
}

/** Reads all of it, and compares it with its manifest. Nothing is written. */
export async function check(container: Container, progress: Progress): Promise<Checked> {
  const counts = new Map<string, number>();
  let header: Header | undefined;
  let manifest: Manifest | undefined;
  let table = '';
  const parts = partsOf(container, progress, (last) => {
    manifest = last;
  });
  for await (const part of parts) {
    if ('countersignBackup' in part) header = part;
    else if ('table' in part) {
      table = part.table.name;
      counts.set(table, 0);
    } else counts.set(table, counts.get(table)! + 1);
  }
  if (header === undefined || manifest === undefined) throw new CommandFailed('the copy is empty');
  const wanted = Object.entries(manifest.rows ?? {});
  const wrong = wanted.find(([name, rows]) => counts.get(name) !== rows);
  if (wrong !== undefined || wanted.length !== counts.size)
    throw new CommandFailed(
      `the copy’s tables do not have the numbers of rows in its last line: ${wrong?.[0] ?? 'a table more'}`,
    );
  return { header, manifest };
}

async function* onlyPieces(parts: AsyncIterable<Header | Piece>): AsyncGenerator<Piece> {
  for await (const part of parts) if (!('countersignBackup' in part)) yield part;
}

/** The copy, for a database. It is read and checked again. */
export const copyOf = (container: Container, { header }: Checked, progress: Progress): Copy => ({
  schema: header.schema,
  numbers: header.numbers,
  pieces: onlyPieces(partsOf(container, progress, () => {})),
});
