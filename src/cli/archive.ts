import { databaseHint } from '../app/database-hint.ts';
import { rfc3339 } from '../base/time.ts';
import { type Archived, archive, KEPT_MS } from '../operator/archive.ts';
import { UsageError } from './client.ts';
import { configOf } from './config.ts';

export type ArchiveValues = {
  before?: string | undefined;
  batch?: string | undefined;
  'dry-run'?: boolean | undefined;
  compact?: boolean | undefined;
  json: boolean;
};

const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,3})?Z)?$/;

function timeOf(text: string | undefined, now: number): number {
  if (text === undefined) throw new UsageError('give the day: countersign archive --before 2025-01-31');
  const time = DATE.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse takes the 30th of February for a day in March.
  if (Number.isNaN(time) || !rfc3339(time).startsWith(text.slice(0, 10)))
    throw new UsageError(
      `--before must be a day such as 2025-01-31, or a time in UTC such as 2025-01-31T12:00:00Z, not "${text}"`,
    );
  if (time > now - KEPT_MS)
    throw new UsageError(`--before must be at least two days ago: ${rfc3339(now - KEPT_MS)} or earlier, not ${rfc3339(time)}`);
  return time;
}

function rowsOf(text = '500'): number {
  const rows = Number(text);
  if (!/^\d+$/.test(text) || rows < 1 || rows > 10_000)
    throw new UsageError(`--batch must be a whole number from 1 to 10000, not "${text}"`);
  return rows;
}

const size = (bytes: number): string => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`);
const counted = (activities: number): string => `${activities} ${activities === 1 ? 'activity' : 'activities'}`;

function outcomeText({ archive, activities, bytes, oldest, newest, cutoff, compacted }: Archived, dryRun: boolean): string {
  const made = oldest === undefined ? '' : `, made from ${rfc3339(oldest)} to ${rfc3339(newest!)}`;
  const lines = [
    dryRun
      ? `would archive ${counted(activities)} (${size(bytes)} of bodies and results${made})`
      : `archived ${counted(activities)} (${size(bytes)} of bodies and results${made}) in ${archive}`,
  ];
  if (cutoff !== undefined)
    lines.push(`activities that finished after ${rfc3339(cutoff)} stay: this is two days before the newest activity`);
  if (compacted) lines.push(`the database file had ${size(compacted.before)} and has ${size(compacted.after)}`);
  return `${lines.join('\n')}\n`;
}

const timeText = (ms: number | undefined) => (ms === undefined ? undefined : rfc3339(ms));

function outcomeJson({ oldest, newest, cutoff, ...rest }: Archived, before: number, dryRun: boolean): string {
  const times = { oldest: timeText(oldest), newest: timeText(newest), cutoff: timeText(cutoff) };
  return `${JSON.stringify({ before: rfc3339(before), dryRun, ...rest, ...times }, null, 2)}\n`;
}

const PROGRESS_MS = 1000;

/** Archives; progress goes to standard error. Throws UsageError. */
export async function archiveCommand(values: ArchiveValues, now: number): Promise<{ text: string; code: number }> {
  const { json, compact = false, 'dry-run': dryRun = false } = values;
  const options = { before: timeOf(values.before, now), batch: rowsOf(values.batch), dryRun, compact };
  const config = configOf();
  if (compact && config.databaseUrl !== undefined)
    throw new UsageError('--compact is for SQLite: PostgreSQL reuses free space, and VACUUM FULL returns it to the file system');
  // Files made here are for this user only, as the database is.
  process.umask(0o077);
  let told = Number.NEGATIVE_INFINITY;
  const progress = ({ activities, newest }: Archived) => {
    if (performance.now() - told < PROGRESS_MS) return;
    told = performance.now();
    process.stderr.write(`${counted(activities)} ${dryRun ? 'counted' : 'archived'}, the newest of ${rfc3339(newest!)}\n`);
  };
  try {
    const done = await archive(config, options, progress);
    return { text: json ? outcomeJson(done, options.before, dryRun) : outcomeText(done, dryRun), code: 0 };
  } catch (error) {
    const cause = (error as { cause?: Error }).cause;
    process.stderr.write(
      `not archived, or not completely: ${(error as Error).message}${cause ? ` (${cause.message})` : ''}${databaseHint(error)}\n`,
    );
    return { text: '', code: 1 };
  }
}
