import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEnvelope } from '../../app/root-key.ts';
import { STATEMENT_LIMITS } from '../../base/database-url.ts';
import { createFile } from '../../base/files.ts';
import type { Random } from '../../base/random.ts';
import { rfc3339 } from '../../base/time.ts';
import type { Config } from '../../config.ts';
import type { Envelope } from '../../custody/envelope.ts';
import { checkProvider } from '../../custody/masters.ts';
import { texts } from '../../custody/vault.ts';
import { load } from '../../store/copy/load.ts';
import { openSnapshot } from '../../store/copy/open-snapshot.ts';
import type { Snapshot } from '../../store/copy/snapshot.ts';
import { loadSqlite } from '../../store/copy/sqlite-target.ts';
import { KNOWN } from '../../store/migrations/known.ts';
import { instanceReads } from '../../store/repositories/service/instance.ts';
import { type NextShare, unlocked } from '../custody/shares/unlock.ts';
import { type Checked, check, copyOf } from './check.ts';
import { opened, type Unlock } from './container.ts';
import { type Proof, prove } from './prove.ts';
import { outcomeOf, type Restored, type RestoreMeans, restoredText } from './restore.ts';

/** `rootKeyFile`, `nextShare`: the root key, for a copy that does not hold it. */
export type DrillOptions = { file: string; unlock: Unlock; rootKeyFile: string | undefined; nextShare: NextShare };

/** Whose root key opened the secrets. */
type KeyFrom = 'the copy' | 'a file' | 'shares' | 'the settings';

export type Drilled = Omit<Restored, 'rootKey' | 'rows' | 'asOf'> & {
  rootKey: KeyFrom;
  ageSeconds: number;
  newestActivity: string | null;
} & Omit<Proof, 'newestActivity'>;

/** The root key for the drill. One from the copy is in a file of the temporary folder until it has opened the master keys. */
async function envelopeFor(
  config: Config,
  { folder, snapshot: { conn } }: { folder: string; snapshot: Snapshot },
  { header }: Checked,
  { rootKeyFile, nextShare }: DrillOptions,
  random: Random,
): Promise<{ envelope: Envelope; from: KeyFrom }> {
  const read = { instance: instanceReads(conn) };
  const inFile = (path: string) => openEnvelope({ ...config, rootKey: { provider: 'file', path } }, read, random);
  if (rootKeyFile !== undefined) return { envelope: await inFile(rootKeyFile), from: 'a file' };
  if (header.rootKey === null) {
    checkProvider(config.rootKey.provider, await read.instance.masterKeys());
    const from = config.rootKey.provider === 'shares' ? 'shares' : 'the settings';
    return { envelope: await openEnvelope(await unlocked(config, nextShare), read, random), from };
  }
  const path = join(folder, 'root.key');
  createFile(path, `${header.rootKey}\n`, random(6).toString('hex'), false);
  try {
    return { envelope: await inFile(path), from: 'the copy' };
  } finally {
    rmSync(path, { force: true });
  }
}

/** Counts of a copy whose schema is this program's. The restore itself writes the rest. */
const UNCOUNTED = new Set(['instance', 'migrations']);

function compareCounts({ header, manifest }: Checked, { rows, faults }: Proof): void {
  if (header.schema !== KNOWN) return;
  for (const [table, count] of Object.entries(manifest.rows))
    if (!UNCOUNTED.has(table) && rows[table] !== count)
      faults.push(`${table} has ${rows[table] ?? 'no'} rows, but the copy has ${count}`);
}

/** Restores a copy into a temporary folder, proves that it is whole and opens, and removes it. */
export async function drill(config: Config, options: DrillOptions, means: RestoreMeans): Promise<Drilled> {
  const { file, unlock } = options;
  const { now, random, progress, begins } = means;
  const container = await opened(file, unlock);
  begins('checking the copy');
  const checked = await check(container, progress);
  const folder = mkdtempSync(join(tmpdir(), 'countersign-drill-'));
  try {
    begins('restoring into a temporary folder');
    await loadSqlite(folder, (target) => load(target, copyOf(container, checked, progress), now, restoredText(checked, now)));
    begins('opening every secret');
    const snapshot = await openSnapshot({ folder, url: undefined, statementLimits: STATEMENT_LIMITS });
    try {
      const { envelope, from } = await envelopeFor(config, { folder, snapshot }, checked, options, random);
      const proof = await prove(snapshot, envelope, texts(envelope), progress);
      compareCounts(checked, proof);
      const newestActivity = proof.newestActivity === null ? null : rfc3339(proof.newestActivity);
      const ageSeconds = Math.round((now - Date.parse(checked.header.createdAt)) / 1000);
      const { rootKey: _, asOf: __, ...outcome } = outcomeOf(file, container.bytes, checked, 'elsewhere');
      return { ...outcome, ...proof, rootKey: from, ageSeconds, newestActivity };
    } finally {
      await snapshot.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
