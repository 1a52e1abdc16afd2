import { join } from 'node:path';
import { makeFolder } from '../base/files.ts';
import { type Ids, uuidV7 } from '../base/ids.ts';
import { type Config, ConfigError } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { KnownFacts } from '../engine/request/known-facts.ts';
import { countSends } from '../http/metrics/sends.ts';
import type { AccountKey } from '../model/send.ts';
import { ARCHIVE_FILE } from '../store/archive/file.ts';
import { openStore } from '../store/store.ts';
import type { Store } from '../store/types.ts';
import type { Ground } from './ground.ts';
import { checkIdentity } from './identity.ts';
import { type OutdatedWatch, watchOutdated } from './outdated.ts';
import { startQuarantine } from './quarantine.ts';
import { openServiceTime, type ServiceTime } from './service-time.ts';

/** The database before anything is read from it. */
export type Database = {
  database: Store;
  load: Engine['load'];
  known: KnownFacts;
  /** The workers that writes wake, once they are made. */
  wake: { messages(): void; events(): void; sends(accounts: readonly AccountKey[]): void };
};

/** The database at this program's schema, and the time of all rows and ids. */
export type TimedDatabase = ServiceTime & { outdated: OutdatedWatch; ids: Ids };

/** With PostgreSQL, the folder may be read-only, such as a mounted root key. */
function dataFolder({ dataDir, databaseUrl }: Config): string {
  try {
    makeFolder(dataDir, databaseUrl === undefined);
    return dataDir;
  } catch (error) {
    throw new ConfigError(`DATA_DIR: ${(error as Error).message}`);
  }
}

export function openDatabase({ config, counts }: Ground): Database {
  const load = { submits: 0, arrivals: 0, signed: 0 };
  const known = new KnownFacts();
  const wake: Database['wake'] = { messages() {}, events() {}, sends() {} };
  const database = openStore({
    folder: dataFolder(config),
    url: config.databaseUrl,
    poolSize: config.databasePool,
    statementLimits: config.statementLimits,
    cacheMb: config.sqliteCacheMb,
    onTheirWay: () => load.submits,
    onChange: (organizationId) => known.forget(organizationId),
    onMessage: () => wake.messages(),
    onEvent: () => wake.events(),
    onSend: (accounts) => wake.sends(accounts),
    onNews: (news) => countSends(counts.sends, news),
  });
  return { database, load, known, wake };
}

/** Brings the database to this program's schema. */
export async function migrateDatabase({ config, machine, log }: Ground, { database }: Database): Promise<void> {
  await database.migrate(machine.now(), { say: (text, fields) => log.info(fields, text) });
  if (await database.lacksArchive())
    log.warn(
      { file: join(config.dataDir, ARCHIVE_FILE) },
      'the file of the archived activities is missing: they are not found, and their bodies are refused. Stop the service, restore the file and start it, unless the file is kept elsewhere on purpose',
    );
}

/** `database`: at this program's schema. */
export async function openTime(ground: Ground, { database }: Database): Promise<TimedDatabase> {
  await checkIdentity(database, ground.log, ground.machine.now());
  const outdated = watchOutdated(database, ground.log);
  const time = await openServiceTime(database, ground);
  await startQuarantine({ ...ground, ...time }, time.quarantine);
  return { ...time, outdated, ids: uuidV7(time.clock, ground.random) };
}
