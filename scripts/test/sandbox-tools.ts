import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from './debian.ts';

/** A program of each package that the tests of the container need. */
const FOR_CONTAINERS = {
  buildah: 'buildah',
  mmdebstrap: 'mmdebstrap',
  runc: 'runc',
  'docker-compose': 'docker-compose',
};
/** A program of each package that the tests of apps' sandboxes need. */
const FOR_SANDBOXES = { bwrap: 'bubblewrap', 'musl-gcc': 'musl-tools', nsenter: 'util-linux' };

const isThere = (program: string): boolean =>
  (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)));

export const needsContainerTools = (file: string): boolean => /^tests\/deploy\/(container|manifests)\.test\.ts$/.test(file);
export const needsSandboxTools = (file: string): boolean =>
  file.startsWith('tests/runner/sandbox/') || /^tests\/e2e\/(?:verifiable-app|docs)\b/.test(file);

/** Installs what is missing. Where it cannot be installed, the tests are skipped, and say why. */
function ensure(packages: Readonly<Record<string, string>>, say: (line: string) => void): void {
  const missing = Object.entries(packages).filter(([program]) => !isThere(program));
  if (process.platform === 'linux' && missing.length > 0)
    installPackages(
      missing.map(([, name]) => name),
      say,
    );
}

export const ensureSandboxTools = (say: (line: string) => void): void => ensure(FOR_SANDBOXES, say);
export const ensureContainerTools = (say: (line: string) => void): void => ensure(FOR_CONTAINERS, say);
