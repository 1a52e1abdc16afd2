import { textOf } from '../decide/index-keys.ts';
import { decimalValue, textKey } from '../evaluate/values.ts';
import { childrenOf, type Expr } from '../language/ast.ts';
import type { Facts } from '../language/checker.ts';
import type { Environment } from '../language/environment.ts';
import type { TextShape } from '../language/shapes.ts';
import { fieldName, formOf, isInteger, type Type } from '../language/types.ts';
import { fits } from './literals.ts';
import { type Profile, pathOf } from './profiles.ts';

/**
 * One bit per profile: `t` has the profiles in which an expression may be true, and `f` those in which it may be false. A
 * non-bool that has a value counts as "may be true". If neither bit is set, it always fails. Failing for other reasons is
 * possible everywhere.
 */
export type Reach = { readonly t: bigint; readonly f: bigint };

export type Subject = {
  readonly facts: Facts;
  readonly environment: Environment;
  readonly profiles: readonly Profile[];
};

/** A comparison with string literals. */
export type Literals = {
  readonly subject: Expr;
  /** The subject is a list, and the literals are compared with its elements. */
  readonly list: boolean;
  readonly type: Type;
  readonly items: readonly (Expr & { readonly kind: 'literal' })[];
  /** The subject's possible texts. */
  readonly shape: TextShape | undefined;
};

/** Called with the result of each node, from the leaves up. */
export type Visit = (expr: Expr, reach: Reach, parts: readonly Reach[], literals: Literals | undefined) => void;

/** The shapes of bound variables, by slot. */
type Bound = (TextShape | undefined)[];

export const there = ({ t, f }: Reach): bigint => t | f;

export function reachOf(subject: Subject, expr: Expr, visit: Visit = () => {}): Reach {
  return walk({ subject, visit, all: (1n << BigInt(subject.profiles.length)) - 1n, bound: [] }, expr);
}

type Walk = { readonly subject: Subject; readonly visit: Visit; readonly all: bigint; readonly bound: Bound };

function walk(w: Walk, expr: Expr): Reach {
  const { facts } = w.subject;
  const root = facts.get(expr)?.root;
  const parts = root === undefined ? partsOf(w, expr) : [];
  const literals = root === undefined ? literalsOf(w.subject, expr, w.bound) : undefined;
  const reach = root === undefined ? combine(w, expr, parts, literals) : value(presence(w, (profile) => profile.roots.has(root)));
  w.visit(expr, reach, parts, literals);
  return reach;
}

const value = (mask: bigint): Reach => ({ t: mask, f: mask });

function partsOf(w: Walk, expr: Expr): Reach[] {
  const parts: Reach[] = [];
  for (const child of childrenOf(expr)) {
    // The child after the list is the predicate.
    if (expr.kind === 'method' && expr.variable !== undefined && parts.length > 0)
      w.bound[w.subject.facts.get(expr)!.slot!] = shapeOf(w.subject, expr.object, w.bound);
    parts.push(walk(w, child));
  }
  return parts;
}

function presence(w: Walk, has: (profile: Profile) => boolean): bigint {
  let mask = 0n;
  for (const [at, profile] of w.subject.profiles.entries()) if (has(profile)) mask |= 1n << BigInt(at);
  return mask;
}

function combine(w: Walk, expr: Expr, parts: readonly Reach[], literals: Literals | undefined): Reach {
  const whole = parts.reduce((mask, part) => mask & there(part), w.all);
  const some = (pick: (part: Reach) => bigint): bigint => parts.reduce((mask, part) => mask | pick(part), 0n);
  const every = (pick: (part: Reach) => bigint): bigint => parts.reduce((mask, part) => mask & pick(part), w.all);
  switch (expr.kind) {
    case 'literal':
      return typeof expr.value !== 'boolean' ? value(w.all) : { t: expr.value ? w.all : 0n, f: expr.value ? 0n : w.all };
    case 'and':
      return { t: every(({ t }) => t), f: whole & some(({ f }) => f) };
    case 'or':
      return { t: whole & some(({ t }) => t), f: every(({ f }) => f) };
    case 'not':
      return { t: parts[0]!.f, f: parts[0]!.t };
    case 'method': {
      if (expr.name === 'contains') return compared(w, expr, whole, literals);
      // The predicate is not evaluated on an empty list.
      const [list, predicate] = parts as [Reach, Reach];
      if (expr.name === 'any') return { t: there(list) & predicate.t, f: there(list) };
      if (expr.name === 'all') return { t: there(list), f: there(list) & predicate.f };
      return expr.name === 'filter' ? value(there(list)) : value(whole);
    }
    case 'compare':
      return compared(w, expr, whole, literals);
    case 'member': {
      const tag = w.subject.facts.get(expr.object)?.type;
      if (tag?.kind !== 'struct' || tag.tag === undefined) return value(whole);
      const name = fieldName(tag, expr.name)!;
      return value(whole & presence(w, ({ parameters }) => parameters === undefined || parameters.has(name)));
    }
    default:
      return value(whole);
  }
}

function compared(w: Walk, expr: Expr, whole: bigint, literals: Literals | undefined): Reach {
  if (literals === undefined) return value(whole);
  const { subject, list, type, items } = literals;
  const possible = items.filter((item) => !isImpossible(item, literals));
  let reach: Reach = possible.length > 0 ? value(whole) : { t: 0n, f: whole };
  const path = list ? undefined : pathOf(subject, w.subject.facts);
  if (path !== undefined && type.kind === 'string') {
    const form = formOf(type);
    const keys = new Set(items.map((item) => textKey(String(item.value), form)));
    const can = (wanted: boolean): bigint =>
      presence(w, ({ known }) => {
        const own = known.get(path);
        return own === undefined || [...own].some((key) => keys.has(textKey(key, form)) === wanted);
      });
    reach = { t: reach.t & can(true), f: reach.f & can(false) };
  }
  return expr.kind === 'compare' && expr.operator === '!=' ? { t: reach.f, f: reach.t } : reach;
}

/** The string literals in a comparison, on either side; undefined for any other node. */
function literalsOf(subject: Subject, expr: Expr, bound: Bound): Literals | undefined {
  const { facts } = subject;
  const make = (side: Expr, given: readonly Expr[], list: boolean): Literals | undefined => {
    const items = given
      .map((item) => textOf(item, facts))
      .filter((item) => item.kind === 'literal' && typeof item.value === 'string') as Literals['items'];
    const whole = facts.get(side)?.type;
    const of = !list ? whole : whole?.kind === 'list' ? whole.of : undefined;
    if (of === undefined || items.length === 0 || items.length < given.length) return undefined;
    // The literal may be the side that asks for another equality.
    const type: Type =
      of.kind === 'string' ? { kind: 'string', form: formOf(of, ...given.map((item) => facts.get(item)!.type)) } : of;
    const text = textOf(side, facts);
    return { subject: text, list, type, items, shape: shapeOf(subject, text, bound) };
  };
  if (expr.kind === 'method') return expr.name === 'contains' ? make(expr.object, expr.args, true) : undefined;
  if (expr.kind !== 'compare') return undefined;
  const { operator, left, right } = expr;
  if (operator === 'in') return right.kind === 'list' ? make(left, right.items, false) : make(right, [left], true);
  if (operator !== '==' && operator !== '!=') return undefined;
  return make(left, [right], false) ?? make(right, [left], false);
}

/** Whether no possible value can equal the literal. */
export function isImpossible(item: Literals['items'][number], literals: Literals): boolean {
  const text = String(item.value);
  const { type, shape } = literals;
  if (isInteger(type)) return decimalValue(text) === undefined;
  if (type.kind !== 'string') return false;
  const length = lengthOf(literals);
  if (length !== undefined && text.length !== length) return true;
  return shape !== undefined && !fits(text, shape, formOf(type));
}

/** The length of a slice of a text, if its bounds are literals. */
export function lengthOf({ subject: expr, list, type }: Literals): number | undefined {
  if (list || type.kind !== 'string' || typeof type.form === 'object') return undefined;
  if (expr.kind !== 'slice' || expr.from.kind !== 'literal' || expr.to.kind !== 'literal') return undefined;
  const { value: from } = expr.from;
  const { value: to } = expr.to;
  if (typeof from !== 'bigint' || typeof to !== 'bigint' || from < 0n || to < from || to > 0xffffn) return undefined;
  return Number(to - from);
}

/** The possible texts of a field, or of a list's elements. Slices have no shape. */
function shapeOf(subject: Subject, expr: Expr, bound: Bound): TextShape | undefined {
  const { facts, environment } = subject;
  const typeOf = (of: Expr): Type | undefined => facts.get(of)?.type;
  switch (expr.kind) {
    case 'name': {
      const slot = facts.get(expr)?.slot;
      return slot === undefined ? undefined : bound[slot];
    }
    case 'member': {
      const type = typeOf(expr.object);
      if (type?.kind !== 'struct' || facts.get(expr)?.root !== undefined) return undefined;
      const shapes = Object.hasOwn(environment.shapes, type.name) ? environment.shapes[type.name]! : {};
      const name = fieldName(type, expr.name) ?? '';
      return Object.hasOwn(shapes, name) ? shapes[name] : undefined;
    }
    case 'method':
      return expr.name === 'filter' ? shapeOf(subject, expr.object, bound) : undefined;
    case 'index':
    case 'slice': {
      const kind = typeOf(expr.object)?.kind;
      return kind === 'list' || kind === 'map' ? shapeOf(subject, expr.object, bound) : undefined;
    }
    default:
      return undefined;
  }
}
