/** Random well-typed expressions and matching requests, from one stream of numbers, so that a seed says it all. */

import type { Environment, Part } from '../../src/policy/index.ts';
import type { CompareOperator, Expr } from '../../src/policy/language/ast.ts';
import { canEqual, canOrder, type StructType, type Type, unify } from '../../src/policy/language/types.ts';

/** A number from 0 up to but without `n`. */
export type Random = (n: number) => number;

/** xorshift32. */
export function seeded(seed: number): Random {
  let state = ((seed * 2654435761) % 4294967296) | 1;
  return (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
}

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[random(items.length)]!;
}

const span = { start: 0, end: 0 };

/** Two addresses of one script in each list, on mainnet and on another network. */
export const bitcoinAddresses = {
  witness: ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'TB1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KXPJZSX'],
  publicKeyHash: ['1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH', 'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r'],
};
const texts = [
  '',
  'a',
  'SIGN',
  'EXPORT',
  '0xAB',
  '0xab',
  '0xabCD',
  '0x',
  '5',
  '-5',
  '05',
  '1'.repeat(81),
  'ab',
  'AB',
  ...Object.values(bitcoinAddresses).flat(),
  '0198C6F0-0000-7000-8000-0000000000AB',
  '0198c6f0-0000-7000-8000-0000000000ab',
  'é',
  'É',
  "it's",
  'T',
  'L',
];
const integers = [0n, 1n, 2n, 5n, -5n, 171n, 2n ** 127n, 2n ** 256n - 1n];
const keys = ['a', 'b', 'to'];
const instants = ['2026-03-01T00:00:00Z', '2026-03-01T00:00:00.5Z', '2027-01-01T00:00:00Z'];
const TIME: Type = { kind: 'timestamp' };
const CASELESS: Type = { kind: 'string', form: 'caseless' };

type Variable = { readonly name: string; readonly type: Type };
type Maker = { readonly random: Random; readonly environment: Environment; readonly part: Part };

/** A bool expression for one part. */
export function makeExpression(random: Random, environment: Environment, part: Part): Expr {
  const maker = { random, environment, part };
  const depth = 1 + random(4);
  const whole = bool(maker, depth, []);
  if (part !== 'condition' || random(3) > 0) return whole;
  return {
    kind: 'and',
    operands: [pin(maker), ...(random(2) ? [pin(maker)] : []), ...(random(4) ? [whole] : [bool(maker, 1, [])])],
    span,
  };
}

const pinned = [
  ['activity', 'type'],
  ['activity', 'action'],
  ['wallet', 'id'],
  ['private_key', 'id'],
  ['wallet_account', 'address'],
] as const;

function pin({ random }: Maker): Expr {
  const [root, name] = pick(random, pinned);
  const path: Expr = member({ kind: 'name', name: root, span }, name);
  const text = (): Expr => literal(pick(random, [...texts.slice(0, 6), 'ACTIVITY_TYPE_DELETE_USERS']));
  const one = (): Expr => {
    if (random(3) === 0) return compare('in', path, { kind: 'list', items: [text(), text(), text()], span });
    return random(2) ? compare('==', path, text()) : compare('==', text(), path);
  };
  return random(3) ? one() : { kind: 'or', operands: [one(), one()], span };
}

function literal(value: boolean | bigint | string): Expr {
  return { kind: 'literal', value, span };
}

function member(object: Expr, name: string): Expr {
  return { kind: 'member', object, name, nameSpan: span, span };
}

function compare(operator: CompareOperator, left: Expr, right: Expr): Expr {
  return { kind: 'compare', operator, left, right, span };
}

function method(object: Expr, name: string, variable: string | undefined, args: readonly Expr[]): Expr {
  return { kind: 'method', object, name, nameSpan: span, variable, args, span };
}

function calling(name: string, argument: Expr): Expr {
  return { kind: 'constructor', name, nameSpan: span, args: [argument], span };
}

function bool(m: Maker, depth: number, scope: readonly Variable[]): Expr {
  const { random } = m;
  if (depth <= 0) {
    const found = random(2) ? undefined : path(m, 0, scope, (type) => type.kind === 'bool');
    return found?.expr ?? comparison(m, 0, scope);
  }
  switch (random(9)) {
    case 0:
    case 1:
      return {
        kind: random(2) ? 'and' : 'or',
        operands: Array.from({ length: 2 + random(2) }, () => bool(m, depth - 1, scope)),
        span,
      };
    case 2:
      return { kind: 'not', operand: bool(m, depth - 1, scope), span };
    case 3:
    case 4: {
      const list = path(m, depth - 1, scope, (type) => type.kind === 'list' || type.kind === 'dynamic');
      if (list === undefined) return comparison(m, depth - 1, scope);
      return quantifier(m, depth, scope, list, random(2) ? 'all' : 'any');
    }
    default:
      return comparison(m, depth - 1, scope);
  }
}

function quantifier(m: Maker, depth: number, scope: readonly Variable[], list: Typed, name: string): Expr {
  const variable = pick(m.random, ['x', 'y', 'item', 'wallet']);
  const type: Type = list.type.kind === 'list' ? list.type.of : { kind: 'dynamic' };
  const inner = [...scope.filter((known) => known.name !== variable), { name: variable, type }];
  return method(list.expr, name, variable, [bool(m, depth - 1, inner)]);
}

type Typed = { readonly expr: Expr; readonly type: Type };

function comparison(m: Maker, depth: number, scope: readonly Variable[]): Expr {
  const { random } = m;
  const left = scalar(m, depth, scope, () => true);
  if (random(5) === 0 && left.type.kind !== 'timestamp') {
    const list = path(
      m,
      depth,
      scope,
      (type) => (type.kind === 'list' && canEqual(type.of, left.type)) || type.kind === 'dynamic',
    );
    if (list !== undefined && random(2))
      return random(2) ? compare('in', left.expr, list.expr) : method(list.expr, 'contains', undefined, [left.expr]);
    const items = Array.from({ length: 1 + random(3) }, () => scalar(m, 0, scope, (type) => type.kind === 'string'));
    const of = items.map(({ type }) => type).reduce<Type | undefined>((all, type) => all && unify(all, type), items[0]!.type);
    if (of !== undefined && canEqual(left.type, of))
      return compare('in', left.expr, { kind: 'list', items: items.map(({ expr }) => expr), span });
  }
  if (random(3) === 0) {
    const right = scalar(m, depth, scope, (type) => canOrder(left.type, type));
    if (canOrder(left.type, right.type)) return compare(pick(random, ['<', '<=', '>', '>='] as const), left.expr, right.expr);
  }
  const right = scalar(m, depth, scope, (type) => canEqual(left.type, type));
  if (!canEqual(left.type, right.type)) return literal(random(2) === 0);
  return compare(random(3) ? '==' : '!=', left.expr, right.expr);
}

function isScalar(type: Type): boolean {
  return !['list', 'map', 'struct'].includes(type.kind);
}

/** A scalar of an accepted type: a path to one, a count, or a literal. */
function scalar(m: Maker, depth: number, scope: readonly Variable[], accepts: (type: Type) => boolean): Typed {
  const { random } = m;
  const int: Type = { kind: 'int' };
  if (random(3) > 0) {
    const found = path(m, depth, scope, (type) => isScalar(type) && accepts(type));
    if (found !== undefined) return found;
  }
  if (random(6) === 0 && accepts(int)) {
    const list = path(m, depth, scope, (type) => type.kind === 'list');
    if (list !== undefined)
      return { expr: random(2) ? method(list.expr, 'count', undefined, []) : member(list.expr, 'count'), type: int };
  }
  if (random(8) === 0 && accepts({ kind: 'uint' })) {
    const text = path(m, depth, scope, (type) => type.kind === 'string' || type.kind === 'dynamic');
    if (text !== undefined) return { expr: method(text.expr, 'hex_to_uint', undefined, []), type: { kind: 'uint' } };
  }
  if (random(8) === 0 && accepts(CASELESS)) {
    const plain = (type: Type): boolean => type.kind === 'dynamic' || (type.kind === 'string' && typeof type.form === 'string');
    const text = random(2) ? path(m, depth, scope, plain) : undefined;
    return { expr: calling('CaseInsensitiveString', text?.expr ?? literal(pick(random, texts))), type: CASELESS };
  }
  const literals: Typed[] = [
    { expr: literal(pick(random, texts)), type: { kind: 'string', form: 'plain' } },
    { expr: literal(pick(random, integers)), type: int },
    { expr: literal(random(2) === 0), type: { kind: 'bool' } },
  ];
  if (m.part === 'time') {
    literals.push({ expr: calling('Timestamp', literal(pick(random, instants))), type: TIME });
  }
  const fitting = literals.filter(({ type }) => accepts(type));
  return pick(random, fitting.length > 0 ? fitting : literals);
}

/** A random walk from a root or variable to a value of an accepted type. */
function path(m: Maker, depth: number, scope: readonly Variable[], accepts: (type: Type) => boolean): Typed | undefined {
  for (let attempt = 0; attempt < 6; attempt += 1) {
    let at = depth > 0 && m.random(12) === 0 ? composed(m, scope) : start(m, scope);
    for (let step = 0; step < 8; step += 1) {
      if (accepts(at.type) && m.random(3) > 0) return at;
      const next = walk(m, depth, scope, at);
      if (next === undefined) break;
      at = next;
    }
    if (accepts(at.type)) return at;
  }
  return undefined;
}

/** A struct or list that is written out. */
function composed(m: Maker, scope: readonly Variable[]): Typed {
  const one = scalar(m, 0, scope, () => true);
  const two = scalar(m, 0, scope, (type) => type.kind === one.type.kind);
  if (m.random(2) || unify(one.type, two.type) === undefined) {
    const fields = { a: one.type, b: two.type };
    const parts = [one, two].map(({ expr }, at) => ({ name: 'ab'[at]!, nameSpan: span, value: expr }));
    return { expr: { kind: 'struct', fields: parts, span }, type: { kind: 'struct', name: 'struct', fields } };
  }
  return { expr: { kind: 'list', items: [one.expr, two.expr], span }, type: { kind: 'list', of: unify(one.type, two.type)! } };
}

function start({ random, environment, part }: Maker, scope: readonly Variable[]): Typed {
  if (scope.length > 0 && random(2)) {
    const { name, type } = pick(random, scope);
    return { expr: { kind: 'name', name, span }, type };
  }
  const roots = [...environment.roots.values()].filter(
    (root) => root.part === part && !root.scopesOnly && !scope.some(({ name }) => name === root.keyword),
  );
  const { keyword, type } = pick(random, roots);
  const [first, second] = keyword.split('.');
  const name: Expr = { kind: 'name', name: first!, span };
  return { expr: second === undefined ? name : member(name, second), type };
}

function walk(m: Maker, depth: number, scope: readonly Variable[], { expr, type }: Typed): Typed | undefined {
  const { random } = m;
  const number = (): Expr =>
    random(12) || depth <= 0 ? literal(BigInt(random(4))) : scalar(m, 0, scope, ({ kind }) => kind === 'int').expr;
  const small = (): Expr => {
    const index = number();
    return index.kind === 'literal' && typeof index.value !== 'bigint' ? literal(0n) : index;
  };
  const index = (of: Type, key: Expr): Typed => ({ expr: { kind: 'index', object: expr, index: key, span }, type: of });
  const slice = (): Typed => ({
    expr: { kind: 'slice', object: expr, from: literal(BigInt(random(3))), to: small(), span },
    type,
  });
  switch (type.kind) {
    case 'struct': {
      if (type.open !== undefined) return { expr: member(expr, pick(random, identifiers)), type: type.open };
      const names = [...Object.keys(type.fields), ...Object.keys(type.aliases ?? {})];
      const name = pick(random, names);
      return { expr: member(expr, name), type: type.fields[type.aliases?.[name] ?? name]! };
    }
    case 'list':
      if (random(4) === 0 && depth > 0) return { expr: quantifier(m, Math.min(depth, 2), scope, { expr, type }, 'filter'), type };
      return random(5) === 0 ? slice() : index(type.of, small());
    case 'string':
      return random(2) ? slice() : index(type, small());
    case 'map':
      return index(type.of, literal(pick(random, keys)));
    case 'dynamic':
      return random(4) === 0 ? slice() : index(type, random(2) ? literal(pick(random, keys)) : small());
    default:
      return undefined;
  }
}

/** Values for the roots of an environment. Some roots and fields are left out. */
export function makeRoots(random: Random, environment: Environment): Record<string, unknown> {
  const roots: Record<string, unknown> = {};
  for (const { keyword, type } of environment.roots.values()) {
    if (random(8) > 0) roots[keyword] = makeValue(random, type);
  }
  return roots;
}

export function makeValue(random: Random, type: Type): unknown {
  const some = <T>(make: () => T): T[] => Array.from({ length: random(4) }, make);
  switch (type.kind) {
    case 'bool':
      return random(2) === 0;
    case 'int':
    case 'uint':
      return pick(random, integers);
    case 'string':
      return pick(random, texts);
    case 'timestamp':
      return { epochMs: Date.parse(pick(random, instants)) };
    case 'list':
      return some(() => makeValue(random, type.of));
    case 'map':
      return Object.fromEntries(some(() => [pick(random, keys), makeValue(random, type.of)]));
    case 'struct':
      return makeStruct(random, type);
    case 'dynamic':
      return makeDynamic(random, 2);
  }
}

/** What scopes and MFA conditions may name. */
export const ofScopes = (environment: Environment): Environment => ({
  ...environment,
  roots: new Map([...environment.roots].filter(([, { policiesOnly }]) => !policiesOnly)),
});

/** Of velocity controls. */
const identifiers = ['small', 'per_day'];

function makeStruct(random: Random, type: StructType): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  if (type.open !== undefined)
    for (const name of identifiers) if (random(3) > 0) value[name] = random(5) ? makeValue(random, type.open) : 'cannot be read';
  for (const [name, field] of Object.entries(type.fields)) {
    if (random(30) > 0) value[name] = makeValue(random, field);
  }
  const { params } = type.fields;
  if (params?.kind !== 'struct' || params.tag === undefined) return value;
  // The activity: its parameters are those of its type.
  const { fieldsOf } = params.tag;
  const kind = pick(random, [...Object.keys(fieldsOf), 'SIGN']);
  const own = Object.entries(value.params ?? {}).filter(([name]) => fieldsOf[kind]?.includes(name));
  return { ...value, type: kind, params: Object.fromEntries(own) };
}

function makeDynamic(random: Random, depth: number): unknown {
  const kind = random(depth > 0 ? 8 : 5);
  if (kind < 2) return pick(random, texts);
  if (kind < 4) return pick(random, integers);
  if (kind === 4) return random(6) ? random(2) === 0 : null;
  const items = Array.from({ length: 1 + random(3) }, () => makeDynamic(random, depth - 1));
  return kind < 7 ? items : Object.fromEntries(items.map((item, at) => [keys[at], item]));
}
