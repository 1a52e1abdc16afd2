import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEnvelope } from '../../app/root-key.ts';
import { CommandFailed } from '../../base/command-failed.ts';
import { DATABASE_FILE } from '../../base/files.ts';
import type { Random } from '../../base/random.ts';
import { rfc3339 } from '../../base/time.ts';
import { VERSION } from '../../base/version.ts';
import { type Config, ConfigError } from '../../config.ts';
import { ROOT_ORGANIZATION } from '../../model/organization.ts';
import { copiedTable } from '../../store/copy/columns.ts';
import { COUNTING } from '../../store/copy/load.ts';
import { openSnapshot } from '../../store/copy/open-snapshot.ts';
import type { Snapshot } from '../../store/copy/snapshot.ts';
import { KNOWN } from '../../store/migrations/known.ts';
import { POSITION_BASE } from '../../store/position-base.ts';
import { instanceReads } from '../../store/repositories/service/instance.ts';
import { tables } from '../../store/tables/index.ts';
import { encrypted, type Lock } from './container.ts';
import { FORMAT, type Header, type Line, type Manifest, written } from './lines.ts';
import { checkFree, writeWhole } from './output.ts';
import type { Progress } from './progress.ts';

export type BackupOptions = { file: string; lock: Lock; withRootKey: boolean; replace: boolean };

export type BackupMeans = { now(): number; random: Random; progress: Progress };

/** `digest`: of the copy’s text, as in its last line. */
export type Made = {
  file: string;
  bytes: number;
  createdAt: string;
  schema: number;
  holdsRootKey: boolean;
  lacksArchive: boolean;
  digest: string;
  rows: Record<string, number>;
};

/** The content of the root key file, which opens the database. Null if the copy is not to hold it, or the provider has no file. */
async function rootKeyFor(config: Config, { conn }: Snapshot, withRootKey: boolean, random: Random): Promise<string | null> {
  if (!withRootKey || config.rootKey.provider !== 'file') return null;
  await openEnvelope(config, { instance: instanceReads(conn) }, random);
  return readFileSync(config.rootKey.path, 'utf8').trim();
}

async function headerOf(config: Config, snapshot: Snapshot, options: BackupOptions, means: BackupMeans, createdAt: number) {
  const { conn, lacksArchive } = snapshot;
  const instance = instanceReads(conn);
  const organizationId = await instance.get(ROOT_ORGANIZATION);
  const masters = (await instance.masterKeys()).filter(({ wrapped }) => wrapped.length > 0);
  if (organizationId === undefined || masters.length === 0)
    throw new CommandFailed('the first start of this database did not end: start the service again');
  const numbers: Record<string, number> = {};
  for (const table of COUNTING) numbers[table] = await snapshot.lastNumber(table);
  return {
    countersignBackup: FORMAT,
    program: VERSION,
    schema: KNOWN,
    engine: conn.engine,
    createdAt: rfc3339(createdAt),
    organizationId,
    rootIds: [...new Set(masters.map(({ rootId }) => rootId))],
    rootKey: await rootKeyFor(config, snapshot, options.withRootKey, means.random),
    lacksArchive,
    numbers,
  } satisfies Header;
}

const all = Object.values(tables).map(copiedTable);

async function* linesOf(
  header: Header,
  snapshot: Snapshot,
  counts: Record<string, number>,
  { progress }: BackupMeans,
): AsyncGenerator<Line> {
  yield header;
  for (const table of all) {
    yield { table: table.name, columns: table.columns };
    counts[table.name] = 0;
    const isInstance = table.name === tables.instance.name;
    for await (const row of snapshot.rows(table)) {
      progress.stopped.throwIfAborted();
      // A fact of this server, not of the instance.
      if (isInstance && row.includes(POSITION_BASE)) continue;
      counts[table.name]! += 1;
      progress.row(table.name);
      yield row;
    }
  }
}

async function opened({ dataDir: folder, databaseUrl: url, statementLimits }: Config): Promise<Snapshot> {
  if (url === undefined && !existsSync(join(folder, DATABASE_FILE)))
    throw new ConfigError(`DATA_DIR ${folder} has no database: set DATA_DIR or DATABASE_URL as for the service`);
  return openSnapshot({ folder, url, statementLimits });
}

/** Writes one state of the whole instance into a file, while services run. Everything that was acknowledged before is in it. */
export async function backup(config: Config, options: BackupOptions, means: BackupMeans): Promise<Made> {
  const { file, lock, replace } = options;
  checkFree(file, replace);
  const createdAt = means.now();
  const snapshot = await opened(config);
  try {
    const header = await headerOf(config, snapshot, options, means, createdAt);
    const rows: Record<string, number> = {};
    let digest = '';
    const end = (sha256: string): { end: Manifest } => {
      digest = sha256;
      return { end: { rows, sha256 } };
    };
    const text = written(linesOf(header, snapshot, rows, means), end, means.progress.bytes);
    const bytes = await writeWhole(file, await encrypted(lock, text), { replace, random: means.random });
    const { schema, lacksArchive } = header;
    const holdsRootKey = header.rootKey !== null;
    return { file, bytes, createdAt: header.createdAt, schema, holdsRootKey, lacksArchive, digest, rows };
  } finally {
    await snapshot.close();
  }
}
