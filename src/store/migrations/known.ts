import { Outdated } from '../../base/errors.ts';
import { migrations } from './index.ts';

/** The schema that this program knows. */
export const KNOWN = migrations.at(-1)!.version;

/** Development versions before 0.2.0 had lower numbers. */
const FIRST = migrations[0]!.version;

export const isNewer = (version: number): string =>
  `the database has schema version ${version}, and this program knows versions up to ${KNOWN}`;

/** Of a process that runs while the database has this version. Throws Outdated if that is more than it knows. */
export function checkKnown(version: number): void {
  if (version > KNOWN) throw new Outdated(`${isNewer(version)}: stop this process, and start the newer program in its place`);
}

/** What to do with a database that no version since 0.2.0 reads. */
export const KEEP_OR_START_ANEW =
  'Nothing in it was changed. Keep it with the version that made it, or start anew with an empty database: see docs/operating/installing.md';

/** Throws unless this program can bring a database of this version to its own schema. 0: the database has none yet. */
export function checkMigratable(version: number): void {
  if (version > KNOWN)
    throw new Error(`${isNewer(version)}: start the newer program that wrote it, or restore a backup made before it.`);
  if (version > 0 && version < FIRST)
    throw new Error(
      `the database has schema version ${version}, of a development version before 0.2.0, which this program cannot read. ${KEEP_OR_START_ANEW}`,
    );
}
