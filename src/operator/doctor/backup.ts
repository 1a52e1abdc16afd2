import { unsavedFor } from '../../app/last-backup.ts';
import type { Config } from '../../config.ts';
import type { Reader } from '../../store/types.ts';
import { type Found, ok, warning } from './finding.ts';

const HOUR_MS = 3_600_000;
const OLD_MS = 48 * HOUR_MS;

const hours = (ms: number): string =>
  ms < OLD_MS ? `${Math.floor(ms / HOUR_MS)} hours` : `${Math.floor(ms / 24 / HOUR_MS)} days`;

/** Whether there is a copy of the last two days. */
export async function checkBackup({ dataDir }: Config, read: Reader, now: number): Promise<Found[]> {
  const { copied, ms } = await unsavedFor(dataDir, read, now);
  const age = hours(ms);
  const text = copied ? `the last copy is ${age} old` : `the instance is ${age} old, and has no copy`;
  return [ms > OLD_MS ? warning(text, 'run countersign backup every day: see docs/operating/backup.md') : ok(text)];
}
