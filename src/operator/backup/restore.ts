import { Uncertain } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { rfc3339 } from '../../base/time.ts';
import type { Config } from '../../config.ts';
import { load } from '../../store/copy/load.ts';
import { checkEmpty, loadPostgres } from '../../store/copy/postgres-target.ts';
import { loadSqlite } from '../../store/copy/sqlite-target.ts';
import type { Target } from '../../store/copy/target.ts';
import { KNOWN } from '../../store/migrations/known.ts';
import { type Checked, check, copyOf } from './check.ts';
import { opened, type Unlock } from './container.ts';
import { checkEmptyFolder, intoFolder } from './folder.ts';
import { type AsOf, noticing } from './newest.ts';
import type { Progress } from './progress.ts';
import { placeRootKey, planRootKey, type RootKeyPlan } from './root-key.ts';

export type RestoreOptions = { file: string; unlock: Unlock; dryRun: boolean };

/** `begins`: called with the name of each part of the work. */
export type RestoreMeans = { now: number; random: Random; progress: Progress; begins(part: string): void };

export type Restored = {
  file: string;
  bytes: number;
  createdAt: string;
  program: string;
  engine: 'sqlite' | 'postgres';
  /** The schema of the copy, and that of the restored database. */
  schema: { copy: number; now: number };
  organizationId: string;
  rootKey: RootKeyPlan;
  lacksArchive: boolean;
  digest: string;
  rows: Readonly<Record<string, number>>;
  /** Null in a dry run. */
  asOf: AsOf | null;
};

/** The text of the instance's row about the restore. */
export const restoredText = ({ header, manifest }: Checked, now: number): string => {
  const { createdAt, program, schema, engine } = header;
  return JSON.stringify({ at: rfc3339(now), copy: { createdAt, program, schema, engine, digest: manifest.sha256 } });
};

export const outcomeOf = (file: string, bytes: number, { header, manifest }: Checked, rootKey: RootKeyPlan): Restored => {
  const { createdAt, program, engine, organizationId, lacksArchive, schema } = header;
  const schemas = { copy: schema, now: KNOWN };
  const { sha256: digest, rows } = manifest;
  const copied = { file, bytes, createdAt, program, engine, schema: schemas, organizationId };
  return { ...copied, rootKey, lacksArchive, digest, rows, asOf: null };
};

/**
 * Restores a copy into an empty database or DATA_DIR. The whole copy is checked before anything is written, and the restored instance
 * appears at once or not at all.
 */
export async function restore(config: Config, { file, unlock, dryRun }: RestoreOptions, means: RestoreMeans): Promise<Restored> {
  const { databaseUrl: url, statementLimits } = config;
  const { now, random, progress, begins } = means;
  if (url === undefined) checkEmptyFolder(config);
  else await checkEmpty({ url, statementLimits });
  const container = await opened(file, unlock);
  begins('checking the copy');
  const checked = await check(container, progress);
  const plan = planRootKey(config, checked.header);
  const outcome = outcomeOf(file, container.bytes, checked, plan);
  if (dryRun) return outcome;
  begins('restoring');
  const { copy, asOf } = noticing(copyOf(container, checked, progress), outcome.organizationId);
  const fill = (target: Target) => load(target, copy, now, restoredText(checked, now));
  const place = () => placeRootKey(config, checked.header, plan, random);
  if (url === undefined) {
    await intoFolder(config, (stage) => loadSqlite(stage, fill), place);
    return { ...outcome, asOf: asOf() };
  }
  let undo = () => {};
  try {
    await loadPostgres({ url, statementLimits }, async (target) => {
      await fill(target);
      undo = place();
    });
  } catch (error) {
    // Then the database may have it all, and needs its root key.
    if (!(error instanceof Uncertain)) undo();
    throw error;
  }
  return { ...outcome, asOf: asOf() };
}
