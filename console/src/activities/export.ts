/** Filtered activities as a file: CSV for spreadsheets, or JSON lines. Times are UTC. */

import { millisecondsOf } from '../parts/time.tsx';
import { read } from '../service/read.ts';
import type { Activity } from '../service/types.ts';
import type { Session } from '../session/state.ts';

export type Format = 'csv' | 'jsonl';

const PAGE = 100;
const MOST = 1000;

const COLUMNS: readonly [string, (activity: Activity) => string][] = [
  ['id', ({ id }) => id],
  ['type', ({ type }) => type],
  ['status', ({ status }) => status],
  ['userId', ({ votes }) => votes[0]?.userId ?? ''],
  ['userName', ({ votes }) => votes[0]?.user.userName ?? ''],
  ['createdAt', ({ createdAt }) => new Date(millisecondsOf(createdAt)).toISOString()],
  ['updatedAt', ({ updatedAt }) => new Date(millisecondsOf(updatedAt)).toISOString()],
  ['fingerprint', ({ fingerprint }) => fingerprint],
];

/** A spreadsheet takes a cell with such a beginning for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

export function csvCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const line = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;

const FORMATS: Readonly<Record<Format, { type: string; text(rows: readonly Activity[]): string }>> = {
  csv: {
    type: 'text/csv',
    text: (rows) =>
      line(COLUMNS.map(([name]) => name)) + rows.map((row) => line(COLUMNS.map(([, value]) => value(row)))).join(''),
  },
  jsonl: { type: 'application/jsonl', text: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join('') },
};

async function rowsOf(session: Session, filters: object): Promise<Activity[]> {
  const rows: Activity[] = [];
  for (;;) {
    const after = rows.at(-1)?.id;
    const paginationOptions = { limit: String(PAGE), ...(after === undefined ? {} : { after }) };
    const { activities } = await read<{ activities: Activity[] }>(session, 'list_activities', { ...filters, paginationOptions });
    rows.push(...activities);
    if (activities.length === 0 || rows.length > MOST) return rows;
  }
}

/** The newest that fit the filters, at most 1,000. Answers whether there are older ones. */
export async function exportActivities(session: Session, filters: object, format: Format): Promise<boolean> {
  const { type, text } = FORMATS[format];
  const rows = await rowsOf(session, filters);
  const url = URL.createObjectURL(new Blob([text(rows.slice(0, MOST))], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `activities.${format}`;
  link.click();
  URL.revokeObjectURL(url);
  return rows.length > MOST;
}
