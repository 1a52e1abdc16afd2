import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import {
  type ActivityFact,
  activityFacts,
  enums,
  type QueryFact,
  queryFacts,
  type Shape,
  shapes,
} from '../../tests/conformance/interface.ts';

type Shapes = Record<string, Shape>;
type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type Type = {
  family: string;
  version: number;
  path: string;
  intentKey: string;
  intent: Shape;
  resultKey?: string;
  result?: Shape;
};

/** The published interface as one document: types of activities, queries by path, enumerations, and shapes that these refer to. */
export type Interface = {
  activityTypes: Record<string, Type>;
  queries: Record<string, { body: Shape; response: Shape }>;
  enums: Record<string, readonly string[]>;
  shapes: Shapes;
};

/** Activities hold every intent and result of the interface: their own file has them. */
const HOLDERS: Shapes = { Intent: { type: 'object', properties: {} }, Result: { type: 'object', properties: {} } };

function referred(value: unknown, from: Shapes, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  const name = (value as Shape).ref;
  if (typeof name === 'string' && name in from && !found.has(name)) {
    found.add(name);
    referred(from[name], from, found);
  }
  for (const member of Object.values(value)) referred(member, from, found);
  return found;
}

const pick = (from: Shapes, names: Iterable<string>): Shapes =>
  Object.fromEntries([...names].sort().map((name) => [name, from[name]!]));

/** The facts of tests/conformance/interface/ in the form of the published document. */
export function present(): Interface {
  const types = activityFacts.flatMap(({ kind, path, versions }) =>
    Object.entries(versions).map(([type, facts]) => [type, { family: kind, path, ...facts }] as const),
  );
  const asked = queryFacts.map(({ path, body, response }) => [path, { body, response }] as const);
  return { activityTypes: Object.fromEntries(types), queries: Object.fromEntries(asked), enums, shapes };
}

/** What the operations use of a document, without notes and shapes that no operation refers to. */
export function used({ activityTypes, queries, enums, shapes }: Interface): Interface {
  const all = { ...shapes, ...HOLDERS };
  const types = Object.entries(activityTypes).map(([type, { family, version, path, intentKey, intent, resultKey, result }]) => {
    const answer = resultKey === undefined ? {} : { resultKey, result };
    return [type, { family, path, version, intentKey, intent, ...answer }] as const;
  });
  const asked = Object.entries(queries).map(([path, { body, response }]) => [path, { body, response }] as const);
  const operations = { activityTypes: Object.fromEntries(types), queries: Object.fromEntries(asked) };
  return {
    ...operations,
    enums,
    shapes: pick(all, referred({ ...operations, activity: { ref: 'Activity' } }, all)),
  } as Interface;
}

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNames = (value: Json | undefined): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function difference(place: string, old: Json | undefined, now: Json | undefined): string[] {
  if (JSON.stringify(old) === JSON.stringify(now)) return [];
  if (now === undefined) return [`- ${place}`];
  if (old === undefined) return [`+ ${place}: ${JSON.stringify(now)}`];
  if (isObject(old) && isObject(now))
    return [...new Set([...Object.keys(old), ...Object.keys(now)])]
      .sort()
      .flatMap((key) => difference(`${place}.${key}`, old[key], now[key]));
  if (isNames(old) && isNames(now)) {
    const gone = old.filter((item) => !now.includes(item)).map((item) => `- ${place} ${item}`);
    return [...gone, ...now.filter((item) => !old.includes(item)).map((item) => `+ ${place} ${item}`)];
  }
  return [`~ ${place}: ${JSON.stringify(old)} -> ${JSON.stringify(now)}`];
}

/** A line for each name, version, path, field and value that a newer document adds (+), takes away (-) or changes (~). */
export function differences(old: Interface, now: Interface): string[] {
  const parts = ['activityTypes', 'queries', 'enums', 'shapes'] as const;
  const [before, after] = [used(old), used(now)];
  return parts.flatMap((part) => difference(part, before[part] as Json, after[part] as Json));
}

function layout(value: Json, indent = '', before = 0): string {
  const flat = JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ').replace(/\[ /g, '[').replace(/ \]/g, ']');
  if (typeof value !== 'object' || value === null || before + flat.length <= 118) return flat;
  const deeper = `${indent}  `;
  if (Array.isArray(value))
    return `[\n${value.map((item) => deeper + layout(item, deeper, deeper.length)).join(',\n')}\n${indent}]`;
  const members = Object.entries(value).map(([key, member]) => {
    const name = `${deeper}${JSON.stringify(key)}: `;
    return name + layout(member, deeper, name.length);
  });
  return `{\n${members.join(',\n')}\n${indent}}`;
}

/** The document may come from anywhere: its names are no paths. */
function fileOf(name: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) throw new Error(`no name of an operation: ${JSON.stringify(name)}`);
  return `${name.toLowerCase().replaceAll('_', '-')}.json`;
}

/**
 * The files of tests/conformance/interface/ for a document: one for each kind and query, with the shapes that it alone uses. Resource,
 * action and governance of a kind are no part of the document; `known` has those of before.
 */
export function interfaceFiles(document: Interface, known: readonly ActivityFact[] = activityFacts): Record<string, string> {
  const { activityTypes, queries, enums, shapes } = used(document);
  const facts = new Map(known.map((fact) => [fact.kind, fact]));
  const operations = new Map<string, ActivityFact | QueryFact>();
  for (const [type, { family, path, ...version }] of Object.entries(activityTypes)) {
    const file = `activities/${fileOf(family)}`;
    const { resource, action, governance } = facts.get(family) ?? {};
    const fact = (operations.get(file) ?? { kind: family, path, resource, action, governance, versions: {} }) as ActivityFact;
    fact.versions[type] = version;
    operations.set(file, fact);
  }
  for (const [path, { body, response }] of Object.entries(queries))
    operations.set(`queries/${fileOf(path.split('/').at(-1)!)}`, { path, body, response });

  const uses = new Map<string, number>();
  const own = new Map([...operations].map(([file, operation]) => [file, referred(operation, shapes)]));
  for (const names of [...own.values(), referred({ ref: 'Activity' }, shapes)])
    for (const name of names) uses.set(name, (uses.get(name) ?? 0) + 1);
  const shared = [...uses].filter(([, count]) => count > 1).map(([name]) => name);
  const alone = (names: Set<string>): Shapes =>
    pick(
      shapes,
      [...names].filter((name) => uses.get(name) === 1),
    );

  const files: Record<string, object> = {
    'enums.json': enums,
    'shared.json': pick(shapes, new Set([...shared, ...referred({ ref: 'Activity' }, shapes)])),
  };
  for (const [file, operation] of operations) files[file] = { ...operation, shapes: alone(own.get(file)!) };
  return Object.fromEntries(
    Object.entries(files).map(([file, content]) => [file, `${layout(JSON.parse(JSON.stringify(content)))}\n`]),
  );
}

/** Writes the files and removes those of operations that the document does not have. */
export function writeInterface(folder: URL, files: Record<string, string>): void {
  for (const part of ['activities/', 'queries/']) {
    mkdirSync(new URL(part, folder), { recursive: true });
    for (const name of readdirSync(new URL(part, folder))) if (!(part + name in files)) rmSync(new URL(part + name, folder));
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(new URL(name, folder), text);
}

/** Prints what a document would need; with `write`, brings the facts to it. */
export function follow(document: Interface, write: boolean): void {
  const lines = differences(present(), document);
  for (const line of lines) process.stdout.write(`${line}\n`);
  if (lines.length === 0) process.stdout.write('the interface has not changed\n');
  if (!write) return;
  writeInterface(new URL('../../tests/conformance/interface/', import.meta.url), interfaceFiles(document));
  process.stdout.write('tests/conformance/interface/ is written; a new kind needs its resource, action and governance there\n');
  process.stdout.write('then: npm run check, npm run generate, npm test -- tests/conformance\n');
}
