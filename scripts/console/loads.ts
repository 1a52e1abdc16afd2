/** What a browser loads for each page of the console. */
import type { Metafile } from 'esbuild';

type Outputs = Metafile['outputs'];

/** A file, and all that it imports by statements. */
function withImports(outputs: Outputs, path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const { path: next, kind } of outputs[path]?.imports ?? [])
    if (kind === 'import-statement') withImports(outputs, next, seen);
  return seen;
}

/** `entries`: the sources of the first page. The other pages are those that it imports when they are opened. */
export function loadsOf(outputs: Outputs, entries: readonly string[]): { first: string[]; later: Record<string, string[]> } {
  const pages = Object.entries(outputs).flatMap(([path, { entryPoint }]) => (entryPoint ? [[entryPoint, path] as const] : []));
  const first = new Set(
    pages.filter(([entry]) => entries.includes(entry)).flatMap(([, path]) => [...withImports(outputs, path)]),
  );
  const later = pages
    .filter(([entry]) => !entries.includes(entry))
    .map(([entry, path]) => [entry, [...withImports(outputs, path)].filter((one) => !first.has(one)).sort()] as const);
  return { first: [...first].sort(), later: Object.fromEntries(later.sort(([a], [b]) => (a < b ? -1 : 1))) };
}
