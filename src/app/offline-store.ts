import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE } from '../base/files.ts';
import { NotDone } from '../base/not-done.ts';
import { type Config, ConfigError } from '../config.ts';
import { openStore } from '../store/store.ts';
import type { Store } from '../store/types.ts';

/** Opens the database for a command, without a service. On SQLite no service may run. `undone`: what did not happen if it fails. */
export async function withStore<T>(config: Config, undone: string, work: (store: Store) => Promise<T>): Promise<T> {
  const { dataDir, databaseUrl } = config;
  if (databaseUrl === undefined && !existsSync(join(dataDir, DATABASE_FILE)))
    throw new ConfigError(`DATA_DIR ${dataDir} has no database: set DATA_DIR or DATABASE_URL as for the service`);
  let store: Store | undefined;
  try {
    store = openStore({ folder: dataDir, url: databaseUrl, poolSize: 1 });
    if (!(await store.isMigrated())) throw new Error('the database has another version’s schema: start the service once');
    return await work(store);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { message, cause } = error as Error;
    const why = cause instanceof Error && !message.includes('already uses') ? ` (${cause.message})` : '';
    throw new NotDone(`${undone}: ${message}${why}`);
  } finally {
    await store?.close().catch(() => {});
  }
}
