/** The part of package-lock.json that some packages need. */

type Entry = {
  version?: string;
  license?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};
export type Lock = { name: string; version: string; lockfileVersion: number; requires: boolean; packages: Record<string, Entry> };

const MODULES = 'node_modules/';

/** Where Node.js finds a package that the one at `from` names. */
function pathOf({ packages }: Lock, from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf(`/${MODULES}`)))) {
    const path = `${at === '' ? '' : `${at}/`}${MODULES}${name}`;
    if (packages[path] !== undefined) return path;
    if (at === '') return undefined;
  }
}

function needsOf({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }: Entry): string[] {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/** `manifest`: of the package that needs them, for the root's entry. */
export function lockFor(lock: Lock, manifest: Entry & { name: string; version: string }): Lock {
  const kept = new Set<string>();
  const visit = (from: string, entry: Entry) => {
    for (const name of needsOf(entry)) {
      const path = pathOf(lock, from, name);
      if (path === undefined || kept.has(path)) continue;
      kept.add(path);
      visit(path, lock.packages[path]!);
    }
  };
  visit('', { dependencies: manifest.dependencies });
  const packages = Object.fromEntries([...kept].sort().map((path) => [path, lock.packages[path]!]));
  const { name, version } = manifest;
  return { name, version, lockfileVersion: lock.lockfileVersion, requires: true, packages: { '': manifest, ...packages } };
}
