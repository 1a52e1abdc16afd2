import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE } from '../base/files.ts';
import { type Config, ConfigError } from '../config.ts';
import { openStore } from '../store/store.ts';
import type { Store, StoredClock } from '../store/types.ts';
import { resetRow } from './service-time.ts';

/** Less than this is no wrong future: a restart alone may take as much. */
const USUAL_MS = 5_000;
/** More than this between two machines' clocks is too much to trust either. */
const APART_MS = 60_000;

/** Milliseconds. `changed`: false where the time was not ahead, and where it was only asked what would happen. */
export type ClockReset = { from: number; to: number; ahead: boolean; changed: boolean };

async function opened<T>({ dataDir, databaseUrl }: Config, work: (store: Store) => Promise<T>): Promise<T> {
  if (databaseUrl === undefined && !existsSync(join(dataDir, DATABASE_FILE)))
    throw new ConfigError(`DATA_DIR ${dataDir} has no database: set DATA_DIR or DATABASE_URL as for the service`);
  let store: Store | undefined;
  try {
    store = openStore({ folder: dataDir, url: databaseUrl, poolSize: 1 });
    return await work(store);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { message, cause } = error as Error;
    const why = cause instanceof Error && !message.includes('already uses') ? ` (${cause.message})` : '';
    throw new Error(`the clock was not reset: ${message}${why}`);
  } finally {
    await store?.close().catch(() => {});
  }
}

async function storedClock(store: Store): Promise<StoredClock> {
  if (!(await store.isMigrated())) throw new Error('the database has another version’s schema: start the service once');
  return store.read.clock.get();
}

/** Takes the service's time back to this machine's clock. On SQLite no service may run; those on PostgreSQL notice. */
export function resetClock(config: Config, now: number, reason: string, dryRun: boolean): Promise<ClockReset> {
  return opened(config, async (store) => {
    const found = await storedClock(store);
    if (found.now !== undefined && Math.abs(found.now - now) > APART_MS)
      throw new Error(
        `this machine’s clock and the database server’s differ by ${Math.round(Math.abs(found.now - now) / 1000)} s: correct them first`,
      );
    const planned = { from: found.reached, to: now, ahead: found.reached > now + USUAL_MS };
    if (!planned.ahead || dryRun) return { ...planned, changed: false };
    await store.exclusively(async (tx) => {
      const { resets } = await tx.clock.reset(now);
      const { from, to } = planned;
      await tx.instance.put(resetRow(resets), JSON.stringify({ from: iso(from), to: iso(to), reason }));
    });
    return { ...planned, changed: true };
  });
}

const iso = (ms: number): string => new Date(ms).toISOString();
