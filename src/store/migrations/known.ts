import { Outdated } from '../../base/errors.ts';
import { migrations } from './index.ts';

/** The schema that this program knows. */
export const KNOWN = migrations.at(-1)!.version;

/** Development versions before 0.2.0 had lower numbers. */
const FIRST = migrations[0]!.version;

const isNewer = (version: number): string =>
  `the database has schema version ${version}, but this program knows versions up to ${KNOWN}`;

/** Call this with the version of the database while the process runs. Throws Outdated if the version is newer than this program's. */
export function checkKnown(version: number): void {
  if (version > KNOWN) throw new Outdated(`${isNewer(version)}: stop this process, and start the newer program in its place`);
}

/** Advice for a database that no version since 0.2.0 can read. */
export const KEEP_OR_START_ANEW =
  'Nothing in it was changed. Use it with the version that created it, or start with an empty database: see docs/operating/installing.md';

/** Throws unless this program can migrate a database of this version to its own schema. 0: no schema exists yet. */
export function checkMigratable(version: number): void {
  if (version > KNOWN)
    throw new Error(`${isNewer(version)}: start the newer program that wrote it, or restore a backup made before it.`);
  if (version > 0 && version < FIRST)
    throw new Error(
      `the database has schema version ${version}, of a development version before 0.2.0, which this program cannot read. ${KEEP_OR_START_ANEW}`,
    );
}
