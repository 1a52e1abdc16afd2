/** Checks a tree's sources against the rules in rules.ts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import {
  ARROWS,
  BANS,
  BESIDE,
  FLOORS,
  KEBAB,
  LINES,
  OPERATIONS,
  PACKAGES,
  PAGES,
  REACH,
  REFUSED_NAMES,
  SPREAD,
  TIDY_ONLY,
} from './rules.ts';
import { type Import, importsOf, lineAt, mask } from './source.ts';
import { spansOf } from './spans.ts';

export interface Finding {
  readonly rule: string;
  readonly file: string;
  readonly line?: number;
  readonly message: string;
}

export interface Findings {
  readonly failures: readonly Finding[];
  readonly warnings: readonly Finding[];
}

interface Source {
  /** From the root of the checkout, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly code: string;
  readonly imports: readonly Import[];
}

const SKIPPED = new Set(['node_modules', 'vectors', '.cache', 'fixtures', 'dist']);

function list(root: string, folder: string): string[] {
  const at = join(root, folder);
  if (!existsSync(at)) return [];
  return readdirSync(at, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : list(root, path);
      return /\.(ts|tsx|mts|js|mjs)$/.test(entry.name) ? [path] : [];
    });
}

/** A file of src/ as the rules name it: `engine/submit/submit.ts`. */
const inside = (path: string) => path.slice('src/'.length);

/** The room of a file: a folder of src/, or an inner folder that the table names. */
function folderOf(path: string): string {
  const [folder, inner, ...rest] = inside(path).split('/');
  if (inner === undefined || folder === undefined) return '(root)';
  const room = `${folder}/${inner}`;
  return rest.length > 0 && ARROWS[room] !== undefined ? room : folder;
}

const target = (source: Source, { specifier }: Import) => posix.join(posix.dirname(source.path), specifier);
const relative = ({ specifier }: Import) => specifier.startsWith('.');

function allows(rule: string, imported: Import, path: string): boolean {
  const typeOnly = rule.startsWith('type:');
  if (typeOnly && !imported.typeOnly) return false;
  if (rule === '*') return true;
  const to = typeOnly ? rule.slice('type:'.length) : rule;
  return to.endsWith('.ts') ? inside(path) === to : folderOf(path) === to;
}

function arrows(source: Source): Finding[] {
  const folder = folderOf(source.path);
  const rules = ARROWS[folder];
  const found: Finding[] = [];
  const fail = (rule: string, { line }: Import, message: string) => found.push({ rule, file: source.path, line, message });
  if (folder !== '(root)' && rules === undefined) {
    found.push({ rule: 'arrows', file: source.path, message: `src/${folder} is not in the table of arrows` });
  }
  for (const imported of source.imports) {
    if (!relative(imported)) {
      const packages = PACKAGES[folder];
      const node = imported.specifier.startsWith('node:');
      if (packages === 'none' || (packages === 'node' && !node) || (packages === 'browser' && node)) {
        fail('packages', imported, `${folder} may not import '${imported.specifier}'`);
      }
      continue;
    }
    const path = target(source, imported);
    if (!path.startsWith('src/')) {
      if (!BESIDE[folder]?.some((beside) => path.startsWith(beside))) fail('arrows', imported, `src/ may not import ${path}`);
    } else if (folder !== '(root)' && folder !== folderOf(path) && !rules?.some((rule) => allows(rule, imported, path))) {
      const kind = imported.typeOnly ? 'import types from' : 'import';
      fail('arrows', imported, `${folder} may not ${kind} ${inside(path)}; it may: ${rules?.join(', ') || 'nothing'}`);
    }
  }
  return found;
}

/** What a page takes that no browser has. */
function inBrowser(source: Source): Finding[] {
  const [folder, rules] = Object.entries(PAGES).find(([at]) => source.path.startsWith(at)) ?? [];
  if (folder === undefined || rules === undefined) return [];
  const allowed = (imported: Import): boolean => {
    if (!relative(imported)) return !imported.specifier.startsWith('node:');
    const path = target(source, imported);
    if (path.startsWith('src/')) return rules.some((rule) => allows(rule, imported, path));
    return [folder, ...rules.filter((rule) => rule.endsWith('/'))].some((beside) => path.startsWith(beside));
  };
  const at = (line: number, message: string): Finding => ({ rule: 'pages', file: source.path, line, message });
  return [
    ...source.imports
      .filter((imported) => !allowed(imported))
      .map(({ line, specifier }) => at(line, `may not import '${specifier}'`)),
    ...[...source.code.matchAll(/\bBuffer\b/g)].map(({ index }) => at(lineAt(source.code, index), 'no browser has Buffer')),
  ];
}

/** How far from the top a file of the folder is. Undefined: its own folder is not in the list. */
function floorOf(path: string, floors: readonly string[]): number | undefined {
  const [, inner = '', ...rest] = inside(path).split('/');
  const floor = floors.indexOf(inner);
  if (floor >= 0) return floor;
  return rest.length === 0 ? floors.length : undefined;
}

function upwards(source: Source): Finding[] {
  const [folder = ''] = inside(source.path).split('/');
  const floors = FLOORS[folder];
  if (floors === undefined) return [];
  const own = floorOf(source.path, floors);
  if (own === undefined)
    return [{ rule: 'floors', file: source.path, message: `its folder is not in the list of floors of ${folder}` }];
  return source.imports.filter(relative).flatMap((imported) => {
    const path = target(source, imported);
    if (!path.startsWith(`src/${folder}/`) || (floorOf(path, floors) ?? own) >= own) return [];
    const message = `may not import ${inside(path)}, which is above it; from the top: ${floors.join(', ')}, other files`;
    return [{ rule: 'floors', file: source.path, line: imported.line, message }];
  });
}

const kindOf = (path: string) => path.replace(/(\.history)?\.ts$/, '');

function betweenActivities(source: Source): Finding[] {
  const at = 'src/activities/';
  if (!source.path.startsWith(at) || source.path.endsWith('/index.ts')) return [];
  return source.imports.filter(relative).flatMap((imported) => {
    const path = target(source, imported);
    if (!path.startsWith(at) || kindOf(path) === kindOf(source.path)) return [];
    const message = `activities never import each other (${path.slice(at.length)}); move what they share to domain/`;
    return [{ rule: 'activities', file: source.path, line: imported.line, message }];
  });
}

function banned(source: Source): Finding[] {
  const file = inside(source.path);
  return BANS.filter(
    ({ allowed, within }) =>
      (within?.some((folder) => file.startsWith(folder)) ?? true) &&
      !allowed.some((place) => (place.endsWith('/') ? file.startsWith(place) : file === place)),
  ).flatMap(({ what, pattern, allowed }) =>
    [...source.code.matchAll(pattern)].map((match) => ({
      rule: 'banned',
      file: source.path,
      line: lineAt(source.code, match.index),
      message: `${what} is allowed ${allowed.length > 0 ? `only in ${allowed.join(', ')}` : 'nowhere'}`,
    })),
  );
}

/** Every strongly connected group of more than one file (Tarjan), as one finding each. */
function cycles(sources: readonly Source[]): Finding[] {
  const known = new Set(sources.map(({ path }) => path));
  const edges = new Map(
    sources.map((source) => [
      source.path,
      source.imports.filter((imported) => relative(imported)).map((imported) => target(source, imported)),
    ]),
  );
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: Finding[] = [];
  const visit = (path: string): void => {
    order.set(path, order.size);
    low.set(path, order.get(path) ?? 0);
    stack.push(path);
    for (const next of edges.get(path) ?? []) {
      if (!known.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(path, Math.min(low.get(path) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(path) !== order.get(path)) return;
    const group = stack.splice(stack.indexOf(path));
    const itself = edges.get(path)?.includes(path);
    if (group.length > 1 || itself)
      found.push({ rule: 'cycle', file: path, message: `imports form a cycle: ${group.join(' → ')} → ${path}` });
  };
  for (const { path } of sources) if (!order.has(path)) visit(path);
  return found;
}

/** The chain of files by which a program reaches a folder that it must not. */
function reaches(sources: readonly Source[]): Finding[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  return REACH.flatMap(({ from, never }) => {
    const chains = new Map([[`src/${from}`, [`src/${from}`]]]);
    for (const [path, chain] of chains) {
      if (never.includes(folderOf(path)))
        return [{ rule: 'reach', file: `src/${from}`, message: `reaches ${folderOf(path)}: ${chain.join(' → ')}` }];
      const source = byPath.get(path);
      for (const imported of source?.imports ?? []) {
        const next = relative(imported) && !imported.typeOnly ? target(source!, imported) : path;
        if (!chains.has(next)) chains.set(next, [...chain, next]);
      }
    }
    return [];
  });
}

const isGenerated = ({ text }: Source) => /^\s*(\/\/|\/\*\*?) ?generated\b/i.test(text);
const linesOf = ({ text }: Source) => text.replace(/\n$/, '').split('\n').length;

/** Limits the lengths of half of the files and of nine in ten, besides that of each. */
function spread(sources: readonly Source[]): Finding[] {
  const lengths = sources
    .filter((source) => !isGenerated(source))
    .map(linesOf)
    .sort((a, b) => a - b);
  const limits = [
    ['half', 0.5, SPREAD.half],
    ['nine of ten', 0.9, SPREAD.mostly],
  ] as const;
  return limits.flatMap(([name, share, most]) => {
    const at = lengths[Math.ceil(lengths.length * share) - 1] ?? 0;
    if (at <= most) return [];
    return [{ rule: 'spread', file: 'src', message: `${name} of the files have up to ${at} lines, and may have ${most}` }];
  });
}

function tidiness(source: Source, failures: Finding[], warnings: Finding[]): void {
  const odd = source.path.split('/').find((segment) => !KEBAB.test(segment));
  if (odd !== undefined) failures.push({ rule: 'names', file: source.path, message: `'${odd}' is not kebab-case` });
  if (REFUSED_NAMES.test(source.path))
    failures.push({ rule: 'names', file: source.path, message: 'says nothing: name it by what it has' });
  if (isGenerated(source)) return;
  const lines = linesOf(source);
  const size = { file: source.path, message: `${lines} lines (aim for ${LINES.warn}, never over ${LINES.limit})` };
  if (lines > LINES.limit) failures.push({ rule: 'lines', ...size });
  else if (lines > LINES.warn) warnings.push({ rule: 'lines', ...size });
}

/** Operations that their folder's index.ts leaves out, and those without a test. */
function operations(root: string, sources: readonly Source[]): Finding[] {
  return OPERATIONS.flatMap((folder) => {
    const at = `src/${folder}/`;
    const files = sources.filter(({ path }) => path.startsWith(at) && path !== `${at}index.ts` && !path.endsWith('.history.ts'));
    const listedBy = (list: string) => {
      const index = sources.find(({ path }) => path === list);
      return new Set(index?.imports.filter(({ typeOnly }) => !typeOnly).map((imported) => target(index, imported)));
    };
    return files.flatMap(({ path }) => {
      const found: Finding[] = [];
      // A resource lists its own; the folder lists the resources.
      const list = path.endsWith('/index.ts') ? `${at}index.ts` : posix.join(posix.dirname(path), 'index.ts');
      if (!listedBy(list).has(path)) found.push({ rule: 'listed', file: path, message: `is not in ${list}` });
      const test = `tests/${inside(path).replace(/\.ts$/, '.test.ts')}`;
      if (!path.endsWith('/index.ts') && !existsSync(join(root, test)))
        found.push({ rule: 'tested', file: path, message: `has no ${test}` });
      return found;
    });
  });
}

/** Tests of operations that were removed or renamed. */
function orphans(sources: readonly Source[], others: readonly Source[]): Finding[] {
  const known = new Set(sources.map(({ path }) => path));
  return others.flatMap(({ path }) => {
    const of = /^tests\/((?:activities|queries)\/.+\/.+)\.test\.ts$/.exec(path)?.[1];
    if (of === undefined || known.has(`src/${of}.ts`)) return [];
    return [{ rule: 'orphan', file: path, message: `there is no src/${of}.ts` }];
  });
}

function read(root: string, path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const code = mask(text, spansOf(text, path.endsWith('.tsx')));
  return { path, text, code, imports: importsOf(text, code) };
}

/** Checks the tree at `root`. */
export function checkArchitecture(root: string): Findings {
  const sources = list(root, 'src').map((path) => read(root, path));
  const others = TIDY_ONLY.flatMap((folder) => list(root, folder)).map((path) => read(root, path));
  const warnings: Finding[] = [];
  const failures = sources.flatMap((source) => [
    ...arrows(source),
    ...upwards(source),
    ...betweenActivities(source),
    ...banned(source),
  ]);
  failures.push(
    ...cycles(sources),
    ...reaches(sources),
    ...cycles(others.filter(({ path }) => path.startsWith('bench/'))),
    ...spread(sources),
    ...operations(root, sources),
    ...orphans(sources, others),
    ...others.flatMap(inBrowser),
  );
  for (const source of [...sources, ...others]) tidiness(source, failures, warnings);
  return { failures, warnings };
}
