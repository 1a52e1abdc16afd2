/** The list of all that runs in the package, bundled or beside it, in the form of CycloneDX. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Lock, lockFor } from './lock.ts';
import { manifestOf } from './manifest.ts';

const NPM_MS = 60_000;
const ARGS = ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx', '--sbom-type=application'];

type Sbom = { serialNumber: string; metadata: { timestamp: string } };

/** An id that follows from the content. */
function idOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** `time`: of the release. npm would take that of this machine, and a random id. */
export function sbomOf(root: string, time: string): string {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const place = mkdtempSync(join(root, '.cache/sbom-'));
  // npm names what is described by its folder.
  const folder = join(place, 'countersign');
  try {
    mkdirSync(folder);
    const manifest = manifestOf(root, { bundled: true });
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lockFor(lock, manifest)));
    const told = execFileSync('npm', ARGS, { cwd: folder, encoding: 'utf8', timeout: NPM_MS, maxBuffer: 1 << 26 });
    const sbom = JSON.parse(told) as Sbom;
    sbom.metadata.timestamp = time;
    sbom.serialNumber = '';
    sbom.serialNumber = idOf(JSON.stringify(sbom));
    return `${JSON.stringify(sbom, null, 2)}\n`;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
