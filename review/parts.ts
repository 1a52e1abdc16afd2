import type { Json } from '../src/base/json.ts';
import { snakeCase } from '../src/base/names.ts';
import type { Call, Fact, FactKind, Field, Form, ReviewOptions, Warning } from './types.ts';
import { visible } from './visible.ts';

export type Parameters = { readonly [name: string]: Json };

/** What a reader is given. */
export type Given = ReviewOptions & { readonly kind: string; readonly parameters: Parameters; readonly timestampMs: string };

/** What a reader makes of an activity. `elements`: values as policies see them, of each element of a batch. */
export type Read = {
  readonly title: string;
  readonly form: Form;
  /** The chain of calls of contracts, in the form of CAIP-2. '': the bytes name none. Absent: it has no such calls. */
  readonly chain?: string;
  readonly facts: readonly Fact[];
  readonly calls?: readonly Call[];
  readonly warnings?: readonly Warning[];
  readonly elements?: readonly (readonly Field[])[];
};

export const fact = (label: string, value: string, kind: FactKind, more: Partial<Fact> = {}): Fact => ({
  label,
  value: visible(value),
  kind,
  ...more,
});

/** A member by its declared name, in either spelling. */
export function member(of: Parameters, name: string): Json | undefined {
  if (Object.hasOwn(of, name)) return of[name];
  const other = snakeCase(name);
  return Object.hasOwn(of, other) ? of[other] : undefined;
}

export function textOf(of: Parameters, name: string): string {
  const value = member(of, name);
  return typeof value === 'string' ? value : '';
}

export const listOf = (of: Parameters, name: string): readonly Json[] => {
  const value = member(of, name);
  return Array.isArray(value) ? value : [];
};

const leaf = (value: unknown): string => visible(typeof value === 'string' ? value : String(value));

/** Every value by its path. Empty lists and objects are values too. */
export function* fieldsOf(value: unknown, path: string): Generator<Field> {
  if (typeof value !== 'object' || value === null) {
    yield { path: visible(path), value: leaf(value) };
    return;
  }
  const members = Array.isArray(value)
    ? value.map((each, i): [string, unknown] => [`${path}[${i}]`, each])
    : value instanceof Map
      ? [...value].map(([name, each]): [string, unknown] => [`${path}.${name}`, each])
      : Object.entries(value).map(([name, each]): [string, unknown] => [path === '' ? name : `${path}.${name}`, each]);
  if (members.length === 0) yield { path: visible(path), value: Array.isArray(value) ? '[]' : '{}' };
  for (const [at, each] of members) yield* fieldsOf(each, at);
}
