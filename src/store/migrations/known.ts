import { Outdated } from '../../base/errors.ts';
import { migrations } from './index.ts';

/** The schema that this program knows. */
export const KNOWN = migrations.at(-1)!.version;

export const isNewer = (version: number): string =>
  `the database has schema version ${version}, and this program knows versions up to ${KNOWN}`;

/** Of a process that runs while the database has this version. Throws Outdated if that is more than it knows. */
export function checkKnown(version: number): void {
  if (version > KNOWN) throw new Outdated(`${isNewer(version)}: stop this process, and start the newer program in its place`);
}
