/** Each program of the package as one file, also those that run in threads and processes of their own. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ours } from '../bundle/plugin.ts';

const PROGRAMS = [
  'src/packaged.ts',
  'src/cli.ts',
  'src/login/passkeys/attestation.ts',
  'src/outbound/post-thread.ts',
  'src/store/engines/sqlite-checkpoint.ts',
  'src/store/engines/sqlite-quick-check.ts',
  'src/runner/sandbox/forwarder/main.ts',
  'src/runner/sandbox/guard/main.ts',
];
const COMMAND = 'scripts/package/countersign.mjs';
/** A program that another starts. */
const STARTED = /new URL\('(\.[^']*)\.ts', import\.meta\.url\)/g;

const inPackage = (path: string) => path.replace(/^src\//, 'lib/').replace(/\.ts$/, '.mjs');
/** Here the command is of the PATH, or of npx. */
const asPackaged = (text: string) =>
  text.replace(STARTED, "new URL('$1.mjs', import.meta.url)").replaceAll('./countersign ', 'countersign ');

const COMMON = { bundle: true, platform: 'node', format: 'esm', logLevel: 'silent', metafile: true } as const;

/** The folder of the package that a bundled file belongs to. Undefined: it is ours. */
export function packageOf(input: string): string | undefined {
  const name = /node_modules\/(?:.*\/node_modules\/)?((?:@[^/]+\/)?[^/]+)\//.exec(input);
  return name === null ? undefined : input.slice(0, name.index + name[0].length - 1);
}

/** Writes them into `folder`; resolves with the packages that are inside. */
export async function makePrograms(root: string, folder: string): Promise<string[]> {
  const { build } = await import('esbuild');
  const inside = new Set<string>();
  for (const program of PROGRAMS) {
    const outfile = join(folder, inPackage(program));
    const placeOf = (path: string) =>
      relative(dirname(inPackage(program)), inPackage(relative(root, path).replaceAll('\\', '/'))).replaceAll('\\', '/');
    const plugins = [ours({ root, placeOf }, asPackaged)];
    const { metafile } = await build({
      ...COMMON,
      absWorkingDir: root,
      entryPoints: [program],
      outfile,
      target: 'node22.18',
      plugins,
    });
    for (const input of Object.keys(metafile.inputs)) {
      const path = packageOf(input);
      if (path !== undefined) inside.add(path);
    }
  }
  await build({
    ...COMMON,
    absWorkingDir: root,
    entryPoints: [COMMAND],
    outfile: join(folder, 'bin/countersign.mjs'),
    target: 'node14',
  });
  return [...inside].sort();
}

const LICENCE = /^licen[cs]e/i;

/** Names, versions and licences of the packages in a bundle. `names`: of the files in a folder. */
export function noticesOf(
  root: string,
  packages: readonly string[],
  names: (folder: string) => string[],
  title = 'The programs in lib/ contain these packages.',
): string {
  const parts = packages.map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as Record<
      string,
      string
    >;
    const file = names(join(root, path)).find((one) => LICENCE.test(one));
    const text =
      file === undefined ? 'The package has no file with its licence.' : readFileSync(join(root, path, file), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return [`${title}\n`, ...parts].join(`\n${'-'.repeat(78)}\n\n`);
}
