import { textKey } from '../evaluate/values.ts';
import type { Expr } from '../language/ast.ts';
import type { Facts } from '../language/checker.ts';
import type { ActivityRow, Environment } from '../language/environment.ts';
import { fieldName, type StructType } from '../language/types.ts';

/**
 * Activities that policies can distinguish only by their values. They share the roots and parameters of one type, with one
 * choice among roots that exclude each other. Everything that an activity shows is in some profile.
 */
export type Profile = {
  readonly roots: ReadonlySet<string>;
  /** Undefined: any. */
  readonly parameters: ReadonlySet<string> | undefined;
  /** Path → the comparison keys of all its values. Any other path may have any value. */
  readonly known: ReadonlyMap<string, ReadonlySet<string>>;
};

const FIELDS = ['type', 'kind', 'resource', 'action'] as const;

const keysOf = (texts: readonly string[]): ReadonlySet<string> => new Set(texts.map((text) => textKey(text, 'plain')));

const kept = new WeakMap<Environment, readonly Profile[]>();

/** The profiles of all activities. None if the environment does not describe activities. */
export function profilesOf(environment: Environment): readonly Profile[] {
  const known = kept.get(environment);
  if (known !== undefined) return known;
  const made = environment.activities.flatMap((row) => profilesOfRow(environment, row));
  kept.set(environment, made);
  return made;
}

export function profilesOfRow(environment: Environment, row: ActivityRow, roots = row.roots): readonly Profile[] {
  const known = new Map(FIELDS.map((field) => [`activity.${field}`, keysOf([row[field]])]));
  const parameters = new Set(parametersOf(environment)?.fieldsOf[row.type] ?? []);
  return combinations(roots, environment.exclusive).map((some) => ({ roots: new Set(['activity', ...some]), parameters, known }));
}

/** Activities of a later release: only their type and kind are known. */
export function laterProfiles(environment: Environment): readonly Profile[] {
  const { later } = environment;
  const known = new Map([
    ['activity.type', keysOf(later.type)],
    ['activity.kind', keysOf(later.kind)],
  ]);
  const roots = [...environment.roots.values()].filter(({ part }) => part === 'condition').map(({ keyword }) => keyword);
  return combinations(roots, environment.exclusive).map((some) => ({ roots: new Set(some), parameters: undefined, known }));
}

/** Sets of roots, such that any roots that can occur together are in one of them. */
function combinations(roots: readonly string[], exclusive: Environment['exclusive']): readonly string[][] {
  const excludes = (a: string, b: string): boolean => exclusive.some((list) => list.includes(a) && list.includes(b));
  let sets: string[][] = [[]];
  for (const root of roots) {
    sets = sets.flatMap((set) => {
      const others = set.filter((other) => !excludes(root, other));
      return others.length === set.length ? [[...set, root]] : [set, [...others, root]];
    });
    const distinct = new Map(sets.map((set) => [set.join(), set]));
    sets = [...distinct.values()];
  }
  return sets;
}

function parametersOf(environment: Environment): StructType['tag'] {
  const activity = environment.roots.get('activity')?.type;
  const params = activity?.kind === 'struct' ? activity.fields.params : undefined;
  return params?.kind === 'struct' ? params.tag : undefined;
}

/** A root and the fields read from it, such as `wallet.id`; undefined for any other expression. */
export function pathOf(expr: Expr, facts: Facts): string | undefined {
  const root = facts.get(expr)?.root;
  if (root !== undefined) return root;
  if (expr.kind !== 'member') return undefined;
  const object = pathOf(expr.object, facts);
  const type = facts.get(expr.object)?.type;
  const name = type?.kind === 'struct' ? fieldName(type, expr.name) : undefined;
  return object === undefined || name === undefined ? undefined : `${object}.${name}`;
}
