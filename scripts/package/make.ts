/** The package that runs without the repository. Equal sources give equal bytes. */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { REFERENCE_FILE } from '../../src/app/built-pages.ts';
import { CONSOLE_FILE, digestOfConsole } from '../../src/app/console/built.ts';
import { FRAMES_FILE } from '../../src/app/frames-built.ts';
import { filesOfFrames } from '../bundle-frames.ts';
import { filesOfReference } from '../bundle-reference.ts';
import { buildConsole } from '../console/build.ts';
import { CONSOLE, isInstalled } from '../test/own-packages.ts';
import { type Lock, lockFor } from './lock.ts';
import { manifestOf } from './manifest.ts';
import { makePrograms, noticesOf } from './programs.ts';

const COPIED = [
  'console/public',
  'contracts/artifacts',
  'man',
  'openapi/operations.json',
  'openapi/operations-help.json',
  'openapi/public-api.json',
  'openapi/auth-proxy.json',
  'LICENSE',
];
const NPM_MS = 60_000;

/** Modes are of the umask; the archive has them. */
function settle(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const file = join(path, entry.name);
    if (entry.isDirectory()) settle(file);
    chmodSync(file, entry.isDirectory() || file.endsWith('bin/countersign.mjs') ? 0o755 : 0o644);
  }
}

/** Fills `folder` with the package. */
export async function stage(root: string, to: string): Promise<void> {
  const folder = resolve(to);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const inside = await makePrograms(root, folder);
  const frames = await filesOfFrames(root, (path) => readFileSync(join(root, path)));
  writeFileSync(join(folder, FRAMES_FILE), `${JSON.stringify(frames)}\n`);
  const reference = await filesOfReference(root, (path) => readFileSync(join(root, path), 'utf8'));
  writeFileSync(join(folder, REFERENCE_FILE), `${JSON.stringify(reference)}\n`);
  if (!isInstalled(root, CONSOLE)) throw new Error('the packages of the console are not installed: npm run console');
  const built = await buildConsole(root, (path) => readFileSync(join(root, path)));
  writeFileSync(join(folder, CONSOLE_FILE), `${JSON.stringify({ digest: digestOfConsole(built), built })}\n`);
  for (const path of COPIED) cpSync(join(root, path), join(folder, path), { recursive: true });
  cpSync(join(root, 'scripts/package/README.md'), join(folder, 'README.md'));
  const manifest = manifestOf(root);
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const put = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`);
  put('package.json', manifest);
  put('npm-shrinkwrap.json', lockFor(lock, manifest));
  put('NOTICES', noticesOf(root, inside, readdirSync));
  settle(folder);
}

export type Packed = { filename: string; size: number; unpackedSize: number; files: { path: string; mode: number }[] };

/** Writes the archive of a staged folder into `out`. */
export function packed(folder: string, out: string): Packed {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', out];
  const told = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', timeout: NPM_MS });
  const [made] = JSON.parse(told) as [Packed];
  return made;
}
