import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { QUIET } from '../app/chain-nodes-of.ts';
import { databaseHint } from '../app/database-hint.ts';
import { checkIdentity } from '../app/identity.ts';
import { systemClock } from '../base/clock.ts';
import { CommandFailed } from '../base/command-failed.ts';
import { DATABASE_FILE } from '../base/files.ts';
import { type Config, ConfigError } from '../config.ts';
import { openReadOnly, openStore, type ReadOnlyStore, type StoreOptions } from '../store/store.ts';
import type { Reader, Store } from '../store/types.ts';

type Opened = { requireSchema(): Promise<void>; close(): Promise<void> };

type Options<S> = { open: (options: StoreOptions) => S; undone: string };

async function using<S extends Opened, T>(
  { dataDir, databaseUrl, statementLimits }: Config,
  { open, undone }: Options<S>,
  work: (store: S) => Promise<T>,
): Promise<T> {
  if (databaseUrl === undefined && !existsSync(join(dataDir, DATABASE_FILE)))
    throw new ConfigError(`DATA_DIR ${dataDir} has no database: set DATA_DIR or DATABASE_URL as for the service`);
  let store: S | undefined;
  try {
    store = open({ folder: dataDir, url: databaseUrl, poolSize: 1, statementLimits });
    await store.requireSchema();
    return await work(store);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? ` (${cause.message})` : '';
    throw new CommandFailed(`${undone}: ${message}${why}${databaseHint(error)}`);
  } finally {
    await store?.close().catch(() => {});
  }
}

/**
 * Opens the database for a command, without a service. On SQLite no service may run. `undone`: the sentence for the case that it fails. A
 * copied database is in quarantine from here on, as from its first start.
 */
export const withStore = <T>(config: Config, undone: string, work: (store: Store) => Promise<T>): Promise<T> =>
  using(config, { open: openStore, undone }, async (store) => {
    await checkIdentity(store, QUIET.log, systemClock.now());
    return work(store);
  });

/** Read-only: also beside a service. */
export const withReadOnly = <T>(config: Config, undone: string, work: (store: ReadOnlyStore) => Promise<T>): Promise<T> =>
  using(config, { open: openReadOnly, undone }, work);

/** The same, for a command that needs the repositories alone. */
export const withReader = <T>(config: Config, undone: string, work: (read: Reader) => Promise<T>): Promise<T> =>
  withReadOnly(config, undone, ({ read }) => work(read));
