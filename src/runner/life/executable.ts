import { closeSync } from 'node:fs';
import { OutboundError } from '../../outbound/types.ts';
import { openExecutable } from '../images/open-executable.ts';
import { ownedName } from '../sandbox/cgroups/remove.ts';
import { type Executable, verifyExecutable } from '../sandbox/executable.ts';
import { SandboxRefused } from '../sandbox/types.ts';
import type { Leased } from '../service/service.ts';
import type { Approved } from './approved.ts';
import type { Lease } from './lease.ts';
import type { Parts } from './parts.ts';
import { Problem } from './problem.ts';

let fetched = 0;

/** A copy of the approved executable, which the caller closes. Throws Problem. */
export async function approvedExecutable(parts: Parts, leased: Leased, approved: Approved, lease: Lease): Promise<Executable> {
  const { download, imagesDir, sandbox } = parts;
  const { containerUrl: image, pivotPath: path, organizationId: payer } = leased;
  // The next start removes files with the name of a dead runner.
  const name = ownedName(`image-${++fetched}`);
  const sources = { download, imagesDir, temporary: `${sandbox.folder}/${name}` };
  try {
    const fd = await openExecutable({ image, path, payer, signal: lease.lost }, sources);
    try {
      const digest = Buffer.from(approved.manifest.pivot.hash, 'hex');
      return await verifyExecutable(fd, digest, sandbox.folder, `${name}-copy`);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (error instanceof OutboundError) throw new Problem(`its image cannot be used: ${error.message}`);
    if (error instanceof SandboxRefused) throw new Problem(error.message);
    throw error;
  }
}
