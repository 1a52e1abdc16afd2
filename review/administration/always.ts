/** Conditions that exclude nothing, and consensus that one person satisfies. Both say nothing where they cannot tell. */
import { openRequest, type Request } from '../../src/policy/evaluate/context.ts';
import { program, run } from '../../src/policy/evaluate/evaluate.ts';
import { childrenOf, type Expr } from '../../src/policy/language/ast.ts';
import { check } from '../../src/policy/language/check.ts';
import { makeEnvironment } from '../../src/policy/language/environment.ts';
import { MAX_STEPS } from '../../src/policy/language/limits.ts';
import { parse } from '../../src/policy/language/parse.ts';
import { printExpression } from '../../src/policy/language/print.ts';

/** Comparisons that hold of a value and itself. */
const REFLEXIVE = new Set(['==', '<=', '>=']);

const OPPOSITE: Readonly<Record<string, string>> = { '==': '!=', '!=': '==', '<': '>=', '>=': '<', '>': '<=', '<=': '>' };

const same = (a: Expr, b: Expr): boolean => printExpression(a) === printExpression(b);

const NO_ROOTS = makeEnvironment([]);

/** Of one text. One evaluation of the engine has fewer, and counts are tried with two numbers. */
const evaluation = (): Request => ({ ...openRequest({}), budget: { left: 4 * MAX_STEPS } });

/** With the value of each part that names nothing in its place, as the engine finds it. */
function settled(expr: Expr, request: Request): Expr {
  const { kind } = expr;
  if (kind === 'not') return { ...expr, operand: settled(expr.operand, request) };
  if (kind === 'and' || kind === 'or') return { ...expr, operands: expr.operands.map((each) => settled(each, request)) };
  const checked = check(expr, 'condition', NO_ROOTS);
  const result = checked.ok ? run(program(expr, checked.facts), request) : undefined;
  return result?.ok ? { kind: 'literal', value: result.value === true, span: expr.span } : expr;
}

function comparison({ operator, left, right }: Expr & { kind: 'compare' }): boolean | undefined {
  if (operator === 'in') return right.kind === 'list' && right.items.some((item) => same(item, left)) ? true : undefined;
  return same(left, right) ? REFLEXIVE.has(operator) : undefined;
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

/** Without the variables that it binds itself. */
function namesIn(expr: Expr): string[] {
  if (expr.kind === 'name') return [expr.name];
  if (expr.kind !== 'method') return childrenOf(expr).flatMap(namesIn);
  return [...namesIn(expr.object), ...expr.args.flatMap(namesIn).filter((name) => name !== expr.variable)];
}

/** `all`: true of everything. `named`: of each activity that has what the text names. */
export function alwaysTrue(text: string): 'all' | 'named' | undefined {
  const parsed = parse(text);
  if (!parsed.ok || folded(settled(parsed.expr, evaluation())) !== true) return undefined;
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
function ofUser(expr: Expr, request: Request): Alone | undefined {
  if (expr.kind !== 'method' || expr.variable === undefined) return undefined;
  const { object, variable, args } = expr;
  const predicate = args[0]!;
  if (object.kind !== 'name' || object.name !== 'approvers') return undefined;
  const value = folded(settled(predicate, request));
  if (value !== undefined) return value ? ANYONE : undefined;
  // It may be about the other approvers too.
  if (namesIn(predicate).some((name) => name !== variable)) return undefined;
  const users = idsIn(predicate, variable);
  return users === undefined ? { who: printExpression(predicate) } : users.length === 0 ? undefined : { users };
}

const isCount = (expr: Expr): expr is Expr & { kind: 'method' | 'member' } =>
  (expr.kind === 'method' || expr.kind === 'member') && expr.name === 'count';

/** The approvers that are counted: all, or those that a filter keeps. Each approves by a credential. */
function counted({ object }: Expr & { kind: 'method' | 'member' }, request: Request): Alone | undefined {
  if (object.kind === 'name') return object.name === 'approvers' || object.name === 'credentials' ? ANYONE : undefined;
  return object.kind === 'method' && object.name === 'filter' ? ofUser(object, request) : undefined;
}

const countsIn = (expr: Expr): (Expr & { kind: 'method' | 'member' })[] =>
  isCount(expr) ? [expr] : childrenOf(expr).flatMap(countsIn);

/** The expression with a number in the place of its counts. */
function counting(expr: Expr, value: bigint): Expr {
  const inside = (each: Expr) => counting(each, value);
  if (isCount(expr)) return { kind: 'literal', value, span: expr.span };
  if (expr.kind === 'compare') return { ...expr, left: inside(expr.left), right: inside(expr.right) };
  if (expr.kind === 'not') return { ...expr, operand: inside(expr.operand) };
  if (expr.kind === 'list') return { ...expr, items: expr.items.map(inside) };
  return expr.kind === 'and' || expr.kind === 'or' ? { ...expr, operands: expr.operands.map(inside) } : expr;
}

/** A count of one makes it true. If no count does so too, it says nothing of the user. */
function byCount(expr: Expr, request: Request): Alone | undefined {
  const [count, ...others] = countsIn(expr);
  if (count === undefined || !others.every((other) => same(other, count))) return undefined;
  const holdsWith = (value: bigint) => folded(settled(counting(expr, value), request)) === true;
  if (!holdsWith(1n)) return undefined;
  const alone = counted(count, request);
  return alone !== undefined && holdsWith(0n) ? ANYONE : alone;
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

function aloneIn(expr: Expr, request: Request): Alone | undefined {
  if (folded(expr) === true) return ANYONE;
  if (expr.kind === 'or') return expr.operands.map((each) => aloneIn(each, request)).reduce(either);
  if (expr.kind === 'and') return expr.operands.map((each) => aloneIn(each, request)).reduce(both);
  if (expr.kind === 'compare' || expr.kind === 'not') return byCount(expr, request);
  return expr.kind === 'method' && (expr.name === 'any' || expr.name === 'all') ? ofUser(expr, request) : undefined;
}

/** The one person that satisfies a consensus. Undefined: it takes several, or that is not known here. */
export function oneAlone(consensus: string): Alone | undefined {
  const parsed = parse(consensus);
  if (!parsed.ok) return undefined;
  const request = evaluation();
  return aloneIn(settled(parsed.expr, request), request);
}
