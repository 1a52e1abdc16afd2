import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';

/** A type of the wire. `ref` names an entry of `shapes` or `enums`. */
export type Shape = {
  ref?: string;
  type?: string;
  nullable?: boolean;
  format?: string;
  enum?: string[];
  properties?: Record<string, Shape>;
  additionalProperties?: Shape;
  required?: string[];
  items?: Shape;
};

export type VersionFact = {
  version: number;
  intentKey: string;
  intent: Shape;
  /** Absent where the answer is another activity. */
  resultKey?: string;
  result?: Shape;
};

export type ActivityFact = {
  kind: string;
  path: string;
  /** Absent where it is not known. */
  resource?: string;
  action?: string;
  governance?: 'policy' | 'root-quorum' | 'vote';
  /** By type, oldest first. */
  versions: Record<string, VersionFact>;
};

export type QueryFact = { path: string; body: Shape; response: Shape };

type Shapes = Record<string, Shape>;

const folder = new URL('interface/', import.meta.url);
const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));

function readAll<T>(of: string): (T & { shapes?: Shapes })[] {
  const names = globSync('*.json', { cwd: new URL(of, folder) }).sort();
  return names.map((name) => read(`${of}${name}`));
}

/**
 * The whole public interface, served here or not: a file for each kind and query, with the shapes that it alone uses. Facts: an
 * operation that is added changes nothing here.
 */
export const activityFacts: readonly ActivityFact[] = readAll<ActivityFact>('activities/');
export const queryFacts: readonly QueryFact[] = readAll<QueryFact>('queries/');
export const enums: Readonly<Record<string, readonly string[]>> = read('enums.json');

const own = [...activityFacts, ...queryFacts].map((operation) => (operation as { shapes?: Shapes }).shapes);
export const shapes: Readonly<Shapes> = Object.assign({}, read('shared.json'), ...own);

/** The shape that a reference names; others are themselves. */
export const resolve = (shape: Shape): Shape => shapes[shape.ref ?? ''] ?? shape;

export const queryName = ({ path }: QueryFact): string => path.slice('/public/v1/query/'.length);

/** The facts of every type. */
export const factsOf: ReadonlyMap<string, ActivityFact> = new Map(
  activityFacts.flatMap((fact) => Object.keys(fact.versions).map((type) => [type, fact])),
);

export const queryFactOf: ReadonlyMap<string, QueryFact> = new Map(queryFacts.map((fact) => [fact.path, fact]));

/**
 * Every member is one of the interface's and has the type that the interface gives it, and what is required is there. `ours`: whether a
 * member that the interface does not have is meant to be there.
 */
export function conforms(place: string, wanted: Shape, value: unknown, ours: (place: string) => boolean = () => false): void {
  const shape = resolve(wanted);
  if (value === null && shape.nullable) return;
  const names = enums[shape.ref ?? ''];
  if (names) assert.ok(names.includes(value as string) || ours(`${place}=${value}`), `${place}: ${value}`);
  else if (shape.type === 'array') {
    assert.ok(Array.isArray(value), place);
    for (const item of value) if (shape.items) conforms(`${place}[]`, shape.items, item, ours);
  } else if (shape.properties) {
    assert.ok(typeof value === 'object' && value !== null, place);
    for (const [name, member] of Object.entries(value)) {
      const own = shape.properties[name];
      if (own === undefined) assert.ok(ours(`${place}.${name}`), `${place}.${name} is ours alone`);
      else if (member !== undefined) conforms(`${place}.${name}`, own, member, ours);
    }
    for (const name of shape.required ?? []) assert.ok(name in value, `${place}.${name} is missing`);
  } else if (shape.type !== undefined)
    assert.equal(typeof value, shape.type === 'integer' ? 'number' : shape.type, `${place}: ${JSON.stringify(value)}`);
}
