import { isObject } from '../base/json.ts';
import { printable } from './printable.ts';

/** A longer cell is cut. */
const WIDEST = 66;

/** Times are seconds and nanoseconds in answers. */
function cell(value: unknown): string {
  if (value === undefined) return '';
  if (isObject(value) && typeof value.seconds === 'string' && typeof value.nanos === 'string')
    return new Date(Number(value.seconds) * 1000 + Math.floor(Number(value.nanos) / 1e6)).toISOString();
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text;
}

function aligned(rows: readonly string[][]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows
    .map((row) =>
      row
        .map((text, i) => text.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** A list as rows under the names of its members; anything else as a row for each member. */
export function table(value: unknown): string {
  if (!Array.isArray(value)) {
    const rows = isObject(value) ? Object.entries(value).map(([name, member]) => [name, cell(member)]) : [[cell(value)]];
    return rows.length === 0 ? '' : aligned(rows);
  }
  const names = [...new Set(value.flatMap((row) => (isObject(row) ? Object.keys(row) : [])))];
  if (names.length === 0) return value.map((each) => `${cell(each)}\n`).join('');
  return aligned([names, ...value.map((row) => names.map((name) => cell((row as Record<string, unknown> | null)?.[name])))]);
}
