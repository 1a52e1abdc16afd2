import type { Config } from '../config.ts';
import type { Archiver } from '../store/archive/archiver.ts';
import { openArchiver } from '../store/archive/archiver.ts';

export { KEPT_MS } from '../store/archive/choose.ts';

/** The most bytes of bodies and results that are moved in one batch. */
const BATCH_BYTES = 8 * 2 ** 20;

export type ArchiveOptions = { before: number; batch: number; dryRun: boolean; compact: boolean };

/** The activities that were archived, or would be. Times are the activities' `createdAt`. */
export type Archived = {
  archive: string;
  activities: number;
  /** Of bodies, results, failures and evaluations. */
  bytes: number;
  oldest?: number;
  newest?: number;
  /** Set if less was taken than asked for. Activities that finished later stay, so the cutoff is shortly before the newest activity. */
  cutoff?: number;
  compacted?: { before: number; after: number };
};

/** Archives activities that finished before a time. `progress`: called after each batch. */
export async function archive(
  { dataDir, databaseUrl, statementLimits, ship }: Config,
  options: ArchiveOptions,
  progress: (sofar: Archived) => void,
): Promise<Archived> {
  const archiver = openArchiver({
    folder: dataDir,
    url: databaseUrl,
    readOnly: options.dryRun,
    ships: ship !== undefined,
    statementLimits,
  });
  try {
    return await archived(archiver, options, progress);
  } finally {
    await archiver.close();
  }
}

async function archived(archiver: Archiver, options: ArchiveOptions, progress: (sofar: Archived) => void): Promise<Archived> {
  const { before, batch: rows, dryRun, compact } = options;
  const done: Archived = { archive: archiver.archive, activities: 0, bytes: 0 };
  const cutoff = await archiver.cutoff(before);
  if (cutoff !== undefined && cutoff < before) done.cutoff = cutoff;
  for await (const batch of cutoff === undefined ? [] : archiver.batches(cutoff, { rows, bytes: BATCH_BYTES })) {
    done.activities += dryRun ? batch.length : await archiver.move(batch, cutoff!);
    for (const { bytes, createdAt } of batch) {
      done.bytes += bytes;
      done.oldest = Math.min(done.oldest ?? createdAt, createdAt);
      done.newest = Math.max(done.newest ?? createdAt, createdAt);
    }
    progress(done);
  }
  if (compact && !dryRun) done.compacted = await archiver.compact!();
  return done;
}
