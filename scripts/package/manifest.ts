/** package.json of the published package: what runs, and nothing for tests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isIncluded } from '../bundle/plugin.ts';

type Versions = Record<string, string>;
type Own = Record<'version' | 'description' | 'license', string> & {
  engines: Versions;
  dependencies: Versions;
  peerDependencies: Versions;
  peerDependenciesMeta: Record<string, { optional: boolean }>;
};

/** It makes bundles, and no part of the service loads it. */
const MAKER = 'esbuild';
/** Of a bundled package, the service also loads lists that are seldom needed. */
const ALSO_LOADED = ['@scure/bip39'];

const readOwn = (root: string): Own => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Own;
const only = (versions: Versions, wanted: (name: string) => boolean): Versions =>
  Object.fromEntries(Object.entries(versions).filter(([name]) => wanted(name)));

/** `bundled`: also with the packages that are inside the bundle, for the list of all that runs. */
export function manifestOf(root: string, { bundled = false } = {}) {
  const { version, description, license, engines, dependencies, peerDependencies, peerDependenciesMeta } = readOwn(root);
  return {
    name: 'countersign',
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { countersign: 'bin/countersign.mjs' },
    man: 'man/countersign.1',
    files: [
      'bin',
      'lib',
      'frames.json',
      'reference.json',
      'console.json',
      'console/public',
      'contracts/artifacts',
      'man',
      'openapi/operations.json',
      'openapi/operations-help.json',
      'openapi/public-api.json',
      'openapi/auth-proxy.json',
      'NOTICES',
      'npm-shrinkwrap.json',
    ],
    dependencies: only(dependencies, (name) => name !== MAKER && (bundled || ALSO_LOADED.includes(name) || !isIncluded(name))),
    peerDependencies,
    peerDependenciesMeta,
  };
}
