import type { Config } from '../../config.ts';
import { askService } from '../custody/ask-service.ts';
import type { ReleaseJob, ReleaseOutcome } from './steps.ts';

/** Lets the service that has the SQLite database do it, if one runs. Undefined: this process can open the database. */
export async function askRunning(
  { dataDir, databaseUrl }: Config,
  job: ReleaseJob,
  say: (line: string) => void,
): Promise<{ outcome?: ReleaseOutcome } | undefined> {
  if (databaseUrl !== undefined) return undefined;
  const done = await askService(dataDir, { command: 'release', ...job }, say);
  return done?.command === 'release' ? done : undefined;
}
