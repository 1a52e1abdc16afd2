/** Conditions that exclude nothing, and consensus that one person satisfies. Both say nothing where they cannot tell. */
import { childrenOf, type Expr } from '../../src/policy/language/ast.ts';
import { parse } from '../../src/policy/language/parse.ts';
import { printExpression } from '../../src/policy/language/print.ts';

/** Comparisons that hold of a value and itself. */
const REFLEXIVE = new Set(['==', '<=', '>=']);

const OPPOSITE: Readonly<Record<string, string>> = { '==': '!=', '!=': '==', '<': '>=', '>=': '<', '>': '<=', '<=': '>' };

type Comparison = Expr & { kind: 'compare' };

const same = (a: Expr, b: Expr): boolean => printExpression(a) === printExpression(b);

const ORDERS: Readonly<Record<string, (a: bigint, b: bigint) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/** Of numbers alone. Texts may be equal in other letters, so only the same text is certain. */
const compared = (operator: string, a: unknown, b: unknown): boolean | undefined =>
  typeof a === 'bigint' && typeof b === 'bigint' ? ORDERS[operator]?.(a, b) : undefined;

function comparison(expr: Comparison): boolean | undefined {
  const { operator, left, right } = expr;
  if (operator === 'in') return right.kind === 'list' && right.items.some((item) => same(item, left)) ? true : undefined;
  if (same(left, right)) return REFLEXIVE.has(operator);
  return left.kind === 'literal' && right.kind === 'literal' ? compared(operator, left.value, right.value) : undefined;
}

/** One holds whenever the other does not. */
function isOpposite(a: Expr, b: Expr): boolean {
  if (a.kind === 'not') return same(a.operand, b);
  if (b.kind === 'not') return same(b.operand, a);
  if (a.kind !== 'compare' || b.kind !== 'compare' || OPPOSITE[a.operator] !== b.operator) return false;
  return same(a.left, b.left) && same(a.right, b.right);
}

/** Operands that are compared with each other. */
const MOST_PAIRED = 20;

/** The value of an expression for each activity that has what it names. Undefined: it depends, or is not known here. */
function folded(expr: Expr): boolean | undefined {
  switch (expr.kind) {
    case 'literal':
      return typeof expr.value === 'boolean' ? expr.value : undefined;
    case 'not': {
      const value = folded(expr.operand);
      return value === undefined ? undefined : !value;
    }
    case 'and':
    case 'or': {
      const settles = expr.kind === 'or';
      const values = expr.operands.map(folded);
      if (values.includes(settles)) return settles;
      if (values.every((value) => value === !settles)) return !settles;
      const few = expr.operands.slice(0, MOST_PAIRED);
      return few.some((a, i) => few.slice(i + 1).some((b) => isOpposite(a, b))) ? settles : undefined;
    }
    case 'compare':
      return comparison(expr);
    default:
      return undefined;
  }
}

const namesIn = (expr: Expr): string[] => (expr.kind === 'name' ? [expr.name] : childrenOf(expr).flatMap(namesIn));

/** `all`: true of everything. `named`: of each activity that has what the text names. */
export function alwaysTrue(text: string): 'all' | 'named' | undefined {
  const parsed = parse(text);
  if (!parsed.ok || folded(parsed.expr) !== true) return undefined;
  return namesIn(parsed.expr).length > 0 ? 'named' : 'all';
}

/** One person that satisfies a consensus. `users`: only these. `who`: only one of whom this text holds. */
export type Alone = { readonly users?: readonly string[]; readonly who?: string };

export const ANYONE: Alone = {};

export const isAnyone = ({ users, who }: Alone): boolean => users === undefined && who === undefined;

const isOf = (expr: Expr, variable: string, member: string): boolean =>
  expr.kind === 'member' && expr.name === member && expr.object.kind === 'name' && expr.object.name === variable;

/** The ids that a predicate of a user names. Undefined: it says something else. */
function idsIn(expr: Expr, variable: string): string[] | undefined {
  if (expr.kind === 'or') {
    const all = expr.operands.map((operand) => idsIn(operand, variable));
    return all.every((ids) => ids !== undefined) ? all.flat() : undefined;
  }
  if (expr.kind !== 'compare' || !isOf(expr.left, variable, 'id')) return undefined;
  const items = expr.operator === 'in' && expr.right.kind === 'list' ? expr.right.items : [expr.right];
  if (expr.operator !== '==' && expr.operator !== 'in') return undefined;
  const texts = items.flatMap((item) =>
    item.kind === 'literal' && typeof item.value === 'string' ? [item.value.toLowerCase()] : [],
  );
  return texts.length === items.length ? texts : undefined;
}

/** One user with a property satisfies `any`, `all` and a filter that keeps at least one. */
function ofUser(expr: Expr): Alone | undefined {
  if (expr.kind !== 'method' || expr.variable === undefined) return undefined;
  const { object, variable, args } = expr;
  const predicate = args[0]!;
  if (object.kind !== 'name' || object.name !== 'approvers') return undefined;
  const value = folded(predicate);
  if (value !== undefined) return value ? ANYONE : undefined;
  // It may be about the other approvers too.
  if (namesIn(predicate).some((name) => name !== variable)) return undefined;
  const users = idsIn(predicate, variable);
  return users === undefined ? { who: printExpression(predicate) } : users.length === 0 ? undefined : { users };
}

/** The approvers that are counted: all, or those that a filter keeps. */
function counted(expr: Expr): Alone | undefined {
  const isCount = (expr.kind === 'method' || expr.kind === 'member') && expr.name === 'count';
  if (!isCount) return undefined;
  const { object } = expr;
  if (object.kind === 'name' && object.name === 'approvers') return ANYONE;
  return object.kind === 'method' && object.name === 'filter' ? ofUser(object) : undefined;
}

/** A count of one satisfies the comparison. */
function byCount({ operator, left, right }: Comparison): Alone | undefined {
  if (right.kind === 'literal') return compared(operator, 1n, right.value) ? counted(left) : undefined;
  return left.kind === 'literal' && compared(operator, left.value, 1n) ? counted(right) : undefined;
}

/** The same person satisfies both. */
function both(a: Alone | undefined, b: Alone | undefined): Alone | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (isAnyone(a)) return b;
  if (isAnyone(b)) return a;
  const users = b.users && a.users?.filter((id) => b.users!.includes(id));
  return users && users.length > 0 ? { users } : undefined;
}

function either(a: Alone | undefined, b: Alone | undefined): Alone | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (isAnyone(a) || isAnyone(b)) return ANYONE;
  const users = [...new Set([...(a.users ?? []), ...(b.users ?? [])])];
  const who = [a.who, b.who].filter((text) => text !== undefined).join(' || ');
  return { ...(users.length > 0 && { users }), ...(who !== '' && { who }) };
}

function aloneIn(expr: Expr): Alone | undefined {
  if (folded(expr) === true) return ANYONE;
  if (expr.kind === 'or') return expr.operands.map(aloneIn).reduce(either);
  if (expr.kind === 'and') return expr.operands.map(aloneIn).reduce(both);
  if (expr.kind === 'compare') return byCount(expr);
  return expr.kind === 'method' && (expr.name === 'any' || expr.name === 'all') ? ofUser(expr) : undefined;
}

/** The one person that satisfies a consensus. Undefined: it takes several, or that is not known here. */
export function oneAlone(consensus: string): Alone | undefined {
  const parsed = parse(consensus);
  return parsed.ok ? aloneIn(parsed.expr) : undefined;
}
